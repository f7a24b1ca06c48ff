// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-shape.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_skel/branches.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/prog/prog-fds.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

#define TIMED_WORDS 3

void prog_shape__init(struct prog_shape *shape, struct strbuf *why)
{
	*shape = (struct prog_shape){
		.why = why,
		.nr_sets = 1,
		.hist_word = -1,
		.outlier_word = -1,
		.events_map = -1,
		.runs_map = -1,
		.tasks_map = -1,
		.gate_map = -1,
		.cgroups_map = -1,
		.outliers_map = -1,
		.second_map = -1,
		.buffers_map = -1,
	};
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void prog_shape__free(struct prog_shape *shape)
{
	close_fd(shape->events_map);
	close_fd(shape->runs_map);
	close_fd(shape->tasks_map);
	close_fd(shape->cgroups_map);
	close_fd(shape->outliers_map);
	close_fd(shape->second_map);
	close_fd(shape->buffers_map);
	free(shape->events);
	free(shape->costs);
	prog_shape__init(shape, NULL);
}

/*
 * Returns whether the event had to wait for a hardware counter, on any CPU, for more than 1/16 of
 * the time for which it was enabled. Also returns true if the event cannot be read on a CPU.
 */
static bool is_waiting(const struct prog_fds *fds, const struct backend_group *group, int event)
{
	for (int cpu = 0; cpu < group->cpus->nr; cpu++) {
		int fd = prog_fds__get(fds, event, cpu);
		struct reading now;

		if (fd >= 0 &&
		    (event_fds__read_fd(fd, &now) || now.running < now.enabled - now.enabled / 16))
			return true;
	}
	return false;
}

static bool some_wait(const struct prog_fds *fds, const struct backend_group *group)
{
	for (int event = 0; event < group->nr; event++)
		if (group->evsels[event]->tool == TOOL_NONE &&
		    !evsel__always_counts(group->evsels[event]) && is_waiting(fds, group, event))
			return true;
	return false;
}

static enum prog_kind kind_of(const struct backend_group *group, int event, bool crowded)
{
	const struct evsel *evsel = group->evsels[event];

	if (evsel->tool != TOOL_NONE || group->counts[event]->open_err)
		return PROG_NONE;
	if (evsel__is_clock(evsel))
		return PROG_CLOCK;
	/*
	 * the helper that reads only the count returns errors as very large numbers; if an event's
	 * count does not start at 0 (evsel->snapshot), it can also be very large, so the event is
	 * read with its times
	 */
	return evsel->snapshot || (crowded && !evsel__always_counts(evsel)) ? PROG_TIMED :
									      PROG_PLAIN;
}

/* Sets `number` and `word` of all events. Their `kind`, and shape->words, must already be set. */
static void number_events(struct prog_shape *shape, const struct prog_fds *fds, int nr)
{
	int plain = 0, timed = 0;

	for (int i = 0; i < nr; i++) {
		struct prog_event *event = &shape->events[i];
		int first = prog_fds__first_of(fds, i);

		if (first < i) {
			*event = shape->events[first];
		} else if (event->kind == PROG_PLAIN) {
			event->word = (int)shape->words.clock + plain;
			event->number = plain++;
		} else if (event->kind == PROG_TIMED) {
			event->word = (int)(shape->words.clock + shape->words.plain) +
				      TIMED_WORDS * timed;
			event->number = (int)shape->words.plain + timed++;
		}
	}
}

int prog_shape__place_events(struct prog_shape *shape, const struct backend_group *group,
			     const struct prog_fds *fds)
{
	bool crowded = some_wait(fds, group);
	struct prog_words *words = &shape->words;

	shape->events = calloc((size_t)group->nr + 1, sizeof(*shape->events));
	if (!shape->events)
		return -ENOMEM;
	for (int i = 0; i < group->nr; i++) {
		shape->events[i].kind = kind_of(group, i, crowded);
		if (prog_fds__first_of(fds, i) < i)
			continue;
		words->clock |= shape->events[i].kind == PROG_CLOCK;
		words->plain += shape->events[i].kind == PROG_PLAIN;
		words->timed += shape->events[i].kind == PROG_TIMED;
	}
	words->words = words->clock + words->plain + TIMED_WORDS * words->timed;
	if (words->plain + words->timed > PROG_MAX_EVENTS)
		return reason__set(group->why, -E2BIG,
				   "-b: %u events were given, but at most %d can be counted in "
				   "each run",
				   words->plain + words->timed, PROG_MAX_EVENTS);
	if (crowded)
		pr_info("-b: there are not enough counters for all events at once: pstat also "
			"reads for how long each event had a counter");
	number_events(shape, fds, group->nr);
	shape->costs = calloc(words->words + 1, sizeof(*shape->costs));
	return shape->costs ? 0 : -ENOMEM;
}

static size_t row_size(const struct prog_shape *shape)
{
	return sizeof(uint64_t) * shape->words.words;
}

int prog_shape__make_map(const struct prog_shape *shape, const char *option, enum bpf_map_type type,
			 const char *name, size_t value_size, int entries, int *fd)
{
	int err;

	*fd = bpf_map_create(type, name, sizeof(__u32), (__u32)value_size,
			     entries > 0 ? (__u32)entries : 1, NULL);
	if (*fd >= 0)
		return 0;
	err = -errno;
	return reason__set(shape->why, err,
			   "%s: cannot make the map %s (%d entries of %zu bytes): %s", option, name,
			   entries, value_size, strerror(-err));
}

size_t prog_shape__runs_size(const struct prog_shape *shape)
{
	return sizeof(struct prog_cpu) + PROG_ROWS * row_size(shape);
}

size_t prog_shape__branches_at(const struct prog_shape *shape)
{
	return sizeof(struct prog_outlier) + row_size(shape);
}

size_t prog_shape__outlier_size(const struct prog_shape *shape)
{
	return prog_shape__branches_at(shape) + (shape->branches ? sizeof(struct branch_block) : 0);
}

size_t prog_shape__set_size(const struct prog_shape *shape)
{
	return sizeof(struct prog_set) + row_size(shape);
}

size_t prog_shape__hist_offset(const struct prog_shape *shape)
{
	return sizeof(struct prog_totals) + (size_t)shape->nr_sets * prog_shape__set_size(shape);
}

static size_t totals_end(const struct prog_shape *shape)
{
	return prog_shape__hist_offset(shape) +
	       (shape->hist_word >= 0 ? sizeof(uint64_t) * PROG_HIST_BUCKETS : 0);
}

size_t prog_shape__word_at(const struct prog_shape *shape, int row, int word)
{
	return sizeof(struct prog_cpu) + (size_t)row * row_size(shape) +
	       sizeof(uint64_t) * (size_t)word;
}

size_t prog_shape__totals_size(const struct prog_shape *shape)
{
	return totals_end(shape) + sizeof(uint64_t);
}

const struct prog_set *prog_shape__set(const struct prog_shape *shape,
				       const struct prog_totals *totals, int set)
{
	return (const struct prog_set *)((const char *)(totals + 1) +
					 (size_t)set * prog_shape__set_size(shape));
}

bool prog_shape__is_whole(const struct prog_shape *shape, const struct prog_totals *totals)
{
	uint64_t begun;

	memcpy(&begun, (const char *)totals + totals_end(shape), sizeof(begun));
	return begun == totals->added;
}
