// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/prog-sums.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/number.h"
#include "util/count/counts.h"

static size_t cells(const struct prog_sums *sums, int nr_rows)
{
	return (size_t)nr_rows * (size_t)sums->nr_cpus;
}

int prog_sums__widen(struct prog_sums *sums, int nr_rows)
{
	size_t had = cells(sums, sums->nr_rows), want = cells(sums, nr_rows),
	       nr = (size_t)sums->nr_events;
	struct reading *readings;
	uint64_t *runs, *costs;

	if (sums->runs && nr_rows <= sums->nr_rows)
		return 0;
	runs = realloc(sums->runs, sizeof(*runs) * (want + 1));
	if (!runs)
		return -ENOMEM;
	sums->runs = runs;
	readings = realloc(sums->readings, sizeof(*readings) * (want * nr + 1));
	if (!readings)
		return -ENOMEM;
	sums->readings = readings;
	costs = realloc(sums->costs, sizeof(*costs) * (want * nr + 1));
	if (!costs)
		return -ENOMEM;
	sums->costs = costs;
	memset(runs + had, 0, sizeof(*runs) * (want - had));
	memset(readings + had * nr, 0, sizeof(*readings) * (want - had) * nr);
	memset(costs + had * nr, 0, sizeof(*costs) * (want - had) * nr);
	sums->nr_rows = nr_rows;
	return 0;
}

void prog_sums__add(struct prog_sums *sums, const struct prog_sums *other)
{
	size_t nr = cells(other, other->nr_rows);

	for (size_t i = 0; i < nr; i++)
		sums->runs[i] += other->runs[i];
	for (size_t i = 0; i < nr * (size_t)other->nr_events; i++) {
		sums->readings[i].value += other->readings[i].value;
		sums->readings[i].enabled += other->readings[i].enabled;
		sums->readings[i].running += other->readings[i].running;
		sums->costs[i] += other->costs[i];
	}
}

void prog_sums__free(struct prog_sums *sums)
{
	free(sums->runs);
	free(sums->readings);
	free(sums->costs);
	*sums = (struct prog_sums){ 0 };
}

uint64_t *prog_sums__runs(const struct prog_sums *sums, int row, int cpu)
{
	return &sums->runs[cells(sums, row) + (size_t)cpu];
}

struct reading *prog_sums__readings(const struct prog_sums *sums, int row, int cpu)
{
	return &sums->readings[(cells(sums, row) + (size_t)cpu) * (size_t)sums->nr_events];
}

uint64_t *prog_sums__costs(const struct prog_sums *sums, int row, int cpu)
{
	return &sums->costs[(cells(sums, row) + (size_t)cpu) * (size_t)sums->nr_events];
}

void prog_sums__subtract(struct reading *sum, uint64_t cost)
{
	if (sum->running < sum->enabled)
		cost = number__scale(cost, sum->running, sum->enabled);
	sum->value = sum->value > cost ? sum->value - cost : 0;
}
