// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

void reading__add(struct reading *sum, const struct reading *more)
{
	sum->value += more->value;
	sum->enabled += more->enabled;
	sum->running += more->running;
}

static size_t counts__size(const struct counts *counts)
{
	return (size_t)counts->cpus->nr * (size_t)counts->nr_columns;
}

static size_t counts__at(const struct counts *counts, int row, int column)
{
	return (size_t)row * (size_t)counts->nr_columns + (size_t)column;
}

/* Limits the rows of the table to CPUs that are in both @all and @own. Returns 0 or -ENOMEM. */
static int choose_rows(struct counts *counts, const struct cpumap *all, const struct cpumap *own)
{
	counts->own_cpus = cpumap__intersect(all, own);
	if (!counts->own_cpus)
		return -ENOMEM;
	if (counts->own_cpus->nr == all->nr) {
		cpumap__free(counts->own_cpus);
		counts->own_cpus = NULL;
		return 0;
	}
	counts->cpus = counts->own_cpus;
	counts->row_of = malloc(sizeof(*counts->row_of) * ((size_t)all->nr + 1));
	if (!counts->row_of)
		return -ENOMEM;
	for (int cpu = 0; cpu < all->nr; cpu++)
		counts->row_of[cpu] = cpumap__index(counts->own_cpus, all->ids[cpu]);
	return 0;
}

struct counts *counts__new_on(const struct evsel *evsel, const struct cpumap *cpus,
			      const struct cpumap *own, int nr_columns)
{
	struct counts *counts = calloc(1, sizeof(*counts));
	size_t size;

	if (!counts)
		return NULL;
	counts->evsel = evsel;
	counts->cpus = cpus;
	counts->nr_columns = nr_columns;
	if (own && !cpumap__is_any(cpus) && choose_rows(counts, cpus, own)) {
		counts__free(counts);
		return NULL;
	}
	size = counts__size(counts);
	counts->total = calloc(size ? size : 1, sizeof(struct reading));
	counts->mark = calloc(size ? size : 1, sizeof(struct reading));
	if (!counts->total || !counts->mark) {
		counts__free(counts);
		return NULL;
	}
	return counts;
}

struct counts *counts__new(const struct evsel *evsel, const struct cpumap *cpus, int nr_columns)
{
	return counts__new_on(evsel, cpus, NULL, nr_columns);
}

void counts__free(struct counts *counts)
{
	if (!counts)
		return;
	cpumap__free(counts->own_cpus);
	free(counts->row_of);
	free(counts->why_not);
	free(counts->why_not_shared);
	free(counts->column_errs);
	free(counts->total);
	free(counts->mark);
	free(counts);
}

bool counts__is_on(const struct counts *counts, int cpu_id)
{
	return !counts->own_cpus || cpumap__index(counts->own_cpus, cpu_id) >= 0;
}

static struct reading *widened(const struct counts *counts, const struct reading *from,
			       int nr_columns)
{
	struct reading *to = calloc((size_t)counts->cpus->nr * (size_t)nr_columns + 1, sizeof(*to));

	for (int cpu = 0; to && cpu < counts->cpus->nr; cpu++)
		memcpy(to + (size_t)cpu * (size_t)nr_columns,
		       from + (size_t)cpu * (size_t)counts->nr_columns,
		       sizeof(*to) * (size_t)counts->nr_columns);
	return to;
}

int counts__widen(struct counts *counts, int nr_columns)
{
	struct reading *total, *mark;

	if (nr_columns <= counts->nr_columns)
		return 0;
	total = widened(counts, counts->total, nr_columns);
	mark = widened(counts, counts->mark, nr_columns);
	if (!total || !mark) {
		free(total);
		free(mark);
		return -ENOMEM;
	}
	free(counts->total);
	free(counts->mark);
	counts->total = total;
	counts->mark = mark;
	counts->nr_columns = nr_columns;
	return 0;
}

void counts__zero_column(struct counts *counts, int column)
{
	for (int row = 0; row < counts->cpus->nr; row++) {
		counts->total[counts__at(counts, row, column)] = (struct reading){ 0 };
		counts->mark[counts__at(counts, row, column)] = (struct reading){ 0 };
	}
}

void counts__reset(struct counts *counts)
{
	size_t size = counts__size(counts) * sizeof(struct reading);

	memset(counts->total, 0, size);
	memset(counts->mark, 0, size);
	counts__set_unsupported(counts, 0, NULL);
	counts->left_out = 0;
	counts->no_scale = false;
}

void counts__set_unsupported(struct counts *counts, int err, const char *why)
{
	counts->open_err = err;
	free(counts->why_not);
	counts->why_not = why ? strdup(why) : NULL;
	free(counts->column_errs);
	counts->column_errs = NULL;
}

int counts__err(const struct counts *counts, int column)
{
	return counts->column_errs ? counts->column_errs[column] : counts->open_err;
}

void counts__set_sharing(struct counts *counts, enum counts_sharing sharing, const char *why)
{
	counts->sharing = sharing;
	free(counts->why_not_shared);
	counts->why_not_shared = why ? strdup(why) : NULL;
}

int counts__set_column_unsupported(struct counts *counts, int column, int err, const char *why)
{
	int nr = counts->nr_columns;

	if (!counts->column_errs)
		counts->column_errs = calloc((size_t)nr, sizeof(*counts->column_errs));
	if (!counts->column_errs)
		return -ENOMEM;
	counts->column_errs[column] = err;
	if (!column) {
		free(counts->why_not);
		counts->why_not = why ? strdup(why) : NULL;
	}
	for (int i = 0; i < nr; i++)
		if (!counts->column_errs[i])
			return 0;
	counts->open_err = counts->column_errs[0];
	return 0;
}

/*
 * Returns the row of a CPU, or -1 if the event has no row for the CPU. @cpu_idx is the CPU's index
 * in backend_group.cpus.
 */
static int row_of(const struct counts *counts, int cpu_idx)
{
	return counts->row_of ? counts->row_of[cpu_idx] : cpu_idx;
}

void counts__set_row(struct counts *counts, int row, int column, const struct reading *total)
{
	counts->total[counts__at(counts, row, column)] = *total;
}

void counts__set(struct counts *counts, int cpu_idx, int column, const struct reading *total)
{
	int row = row_of(counts, cpu_idx);

	if (row >= 0)
		counts__set_row(counts, row, column, total);
}

void counts__set_rising(struct counts *counts, int cpu_idx, int column, const struct reading *total)
{
	int row = row_of(counts, cpu_idx);
	struct reading *to;
	uint64_t before;

	if (row < 0)
		return;
	to = &counts->total[counts__at(counts, row, column)];
	before = to->value;
	*to = *total;
	if (to->value < before)
		to->value = before;
}

void counts__mark(struct counts *counts)
{
	memcpy(counts->mark, counts->total, counts__size(counts) * sizeof(struct reading));
}

struct reading counts__total(const struct counts *counts, int row, int column)
{
	return counts->total[counts__at(counts, row, column)];
}

struct reading counts__delta(const struct counts *counts, int row, int column)
{
	const struct reading *total = &counts->total[counts__at(counts, row, column)];
	const struct reading *mark = &counts->mark[counts__at(counts, row, column)];

	return (struct reading){
		.value = counts->evsel->snapshot ? total->value : total->value - mark->value,
		.enabled = total->enabled - mark->enabled,
		.running = total->running - mark->running,
	};
}
