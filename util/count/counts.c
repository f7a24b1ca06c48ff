// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/evsel.h"
#include "util/machine/cpumap.h"

void reading__add(struct reading *sum, const struct reading *more)
{
	sum->value += more->value;
	sum->enabled += more->enabled;
	sum->running += more->running;
}

static size_t counts__size(const struct counts *counts)
{
	return (size_t)counts->cpus->nr * (size_t)counts->nr_threads;
}

struct counts *counts__new(const struct evsel *evsel, const struct cpumap *cpus, int nr_threads)
{
	struct counts *counts = calloc(1, sizeof(*counts));
	size_t size;

	if (!counts)
		return NULL;
	counts->evsel = evsel;
	counts->cpus = cpus;
	counts->nr_threads = nr_threads;
	size = counts__size(counts);
	counts->total = calloc(size ? size : 1, sizeof(struct reading));
	counts->mark = calloc(size ? size : 1, sizeof(struct reading));
	if (!counts->total || !counts->mark) {
		counts__free(counts);
		return NULL;
	}
	return counts;
}

void counts__free(struct counts *counts)
{
	if (!counts)
		return;
	free(counts->why_not);
	free(counts->total);
	free(counts->mark);
	free(counts);
}

static struct reading *widened(const struct counts *counts, const struct reading *from, int nr_threads)
{
	struct reading *to = calloc((size_t)counts->cpus->nr * (size_t)nr_threads + 1, sizeof(*to));

	for (int cpu = 0; to && cpu < counts->cpus->nr; cpu++)
		memcpy(to + (size_t)cpu * (size_t)nr_threads, from + (size_t)cpu * (size_t)counts->nr_threads,
		       sizeof(*to) * (size_t)counts->nr_threads);
	return to;
}

int counts__widen(struct counts *counts, int nr_threads)
{
	struct reading *total, *mark;

	if (nr_threads <= counts->nr_threads)
		return 0;
	total = widened(counts, counts->total, nr_threads);
	mark = widened(counts, counts->mark, nr_threads);
	if (!total || !mark) {
		free(total);
		free(mark);
		return -ENOMEM;
	}
	free(counts->total);
	free(counts->mark);
	counts->total = total;
	counts->mark = mark;
	counts->nr_threads = nr_threads;
	return 0;
}

void counts__zero(struct counts *counts)
{
	size_t size = counts__size(counts) * sizeof(struct reading);

	memset(counts->total, 0, size);
	memset(counts->mark, 0, size);
}

void counts__reset(struct counts *counts)
{
	counts__zero(counts);
	counts__set_unsupported(counts, 0, NULL);
	counts->user_only = counts->no_scale = false;
}

void counts__set_unsupported(struct counts *counts, int err, const char *why)
{
	counts->open_err = err;
	free(counts->why_not);
	counts->why_not = why ? strdup(why) : NULL;
}

static size_t counts__at(const struct counts *counts, int cpu_idx, int thread)
{
	return (size_t)cpu_idx * (size_t)counts->nr_threads + (size_t)thread;
}

void counts__set(struct counts *counts, int cpu_idx, int thread, const struct reading *total)
{
	counts->total[counts__at(counts, cpu_idx, thread)] = *total;
}

void counts__set_rising(struct counts *counts, int cpu_idx, int thread, const struct reading *total)
{
	struct reading *to = &counts->total[counts__at(counts, cpu_idx, thread)];
	uint64_t before = to->value;

	*to = *total;
	if (to->value < before)
		to->value = before;
}

void counts__mark(struct counts *counts)
{
	memcpy(counts->mark, counts->total, counts__size(counts) * sizeof(struct reading));
}

struct reading counts__total(const struct counts *counts, int cpu_idx, int thread)
{
	return counts->total[counts__at(counts, cpu_idx, thread)];
}

struct reading counts__delta(const struct counts *counts, int cpu_idx, int thread)
{
	const struct reading *total = &counts->total[counts__at(counts, cpu_idx, thread)];
	const struct reading *mark = &counts->mark[counts__at(counts, cpu_idx, thread)];

	return (struct reading){
		.value = counts->evsel->snapshot ? total->value : total->value - mark->value,
		.enabled = total->enabled - mark->enabled,
		.running = total->running - mark->running,
	};
}
