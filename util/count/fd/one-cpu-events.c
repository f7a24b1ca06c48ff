// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/one-cpu-events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/share/held-events.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/*
 * The opened events. They form a struct backend_group whose counts have a single row, for the CPU
 * that came online.
 */
struct one_cpu_events {
	struct backend_group group;
	struct cpumap *cpu;
	struct event_fds *fds;
	const struct one_cpu_event *events;
};

static int add_events(struct one_cpu_events *one, int nr)
{
	struct backend_group *group = &one->group;

	group->evsels = calloc((size_t)nr + 1, sizeof(*group->evsels));
	group->counts = calloc((size_t)nr + 1, sizeof(*group->counts));
	if (!group->evsels || !group->counts)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		group->evsels[i] = one->events[i].evsel;
		group->counts[i] = counts__new(one->events[i].evsel, one->cpu, 1);
		if (!group->counts[i])
			return -ENOMEM;
		group->counts[i]->left_out = one->events[i].left_out;
		group->nr++;
	}
	return 0;
}

static int check_all(const struct one_cpu_events *one, struct strbuf *why)
{
	for (int i = 0; i < one->group.nr; i++) {
		const struct counts *counts = one->group.counts[i];

		if (counts->open_err && counts->why_not)
			strbuf__adds(why, counts->why_not);
		if (counts->open_err)
			return counts->open_err;
		if (event_fds__get(one->fds, i, 0, 0) < 0)
			return -ENODEV;
	}
	return 0;
}

int one_cpu_events__open(int cpu_id, const struct one_cpu_event *events, int nr,
			 struct one_cpu_events **out, struct strbuf *why)
{
	const struct event_open_how how = { .disabled = true };
	struct one_cpu_events *one = calloc(1, sizeof(*one));
	int err = -ENOMEM;

	if (one) {
		one->events = events;
		one->group.why = why;
		one->group.cpus = one->cpu = cpumap__any();
	}
	if (one && one->cpu) {
		one->cpu->ids[0] = cpu_id;
		err = add_events(one, nr);
	}
	err = err ?: event_fds__open(&one->group, &how, &one->fds);
	err = err ?: check_all(one, why);
	if (!err) {
		*out = one;
		return 0;
	}
	if (!why->len)
		strbuf__adds(why, strerror(-err));
	one_cpu_events__close(one);
	*out = NULL;
	return err;
}

void one_cpu_events__close(struct one_cpu_events *one)
{
	if (!one)
		return;
	event_fds__close(one->fds);
	for (int i = 0; i < one->group.nr; i++)
		counts__free(one->group.counts[i]);
	free(one->group.evsels);
	free(one->group.counts);
	cpumap__free(one->cpu);
	free(one);
}

int one_cpu_events__put(const struct one_cpu_events *one, int map_fd, int nr_cpus, uint64_t *put)
{
	int err = 0;

	*put = 0;
	for (int i = 0; !err && i < one->group.nr; i++) {
		const struct one_cpu_event *event = &one->events[i];

		err = bpf_util__put_event(map_fd, event->row, nr_cpus, one->cpu->ids[0],
					  event_fds__get(one->fds, i, 0, 0), event->evsel->name,
					  one->group.why);
		if (!err && event->row < 64)
			*put |= 1ULL << event->row;
	}
	return err;
}

void one_cpu_events__hold(const struct one_cpu_events *one, struct held_events *held)
{
	for (int i = 0; i < one->group.nr; i++)
		held_events__add(held, event_fds__get(one->fds, i, 0, 0));
}

int one_cpu_events__enable(struct one_cpu_events *one)
{
	return event_fds__enable(one->fds);
}
