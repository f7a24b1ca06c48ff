// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports the histograms of --hist. Prometheus requires bounds that never change, so the exported
 * buckets always end at the same bounds, which have the form 2^n - 1. The BPF program counts in
 * finer buckets. Each of the bounds is also the end of a finer bucket, so the exported numbers are
 * exact.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/measurement.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/report/export/export-priv.h"

/* The bounds are 2^FIRST_BIT - 1, ..., 2^LAST_BIT - 1, and infinity. */
#define FIRST_BIT PROG_HIST_BITS
#define LAST_BIT 40
#define NR_BOUNDS (LAST_BIT - FIRST_BIT + 2)

/* The histogram of a subject (a BPF program or scope) at the latest reading. */
struct export_hist_row {
	uint64_t runs[NR_BOUNDS]; /* [bound]: number of runs whose count is at most the bound */
	uint64_t sum;		  /* of the counts of all runs; never decreases */
	/* the part of `runs` and `sum` that belongs to earlier subjects with the same index */
	uint64_t earlier_runs[NR_BOUNDS], earlier_sum;
};

static int grow(struct export_report *er, int nr)
{
	struct export_hist_row *bigger;

	if (nr <= er->nr_hist_rows)
		return 0;
	bigger = reallocarray(er->hist_rows, (size_t)nr, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	er->hist_rows = bigger;
	memset(bigger + er->nr_hist_rows, 0, sizeof(*bigger) * (size_t)(nr - er->nr_hist_rows));
	er->nr_hist_rows = nr;
	return 0;
}

/* For each bound, stores in @runs the number of runs whose count is at most the bound. */
static void add_up(const struct hist_counts *counts, uint64_t *runs)
{
	uint64_t sum = 0;
	int bucket = 0;

	for (int i = 0; i < NR_BOUNDS - 1; i++) {
		uint64_t bound = (1ULL << (FIRST_BIT + i)) - 1;

		for (; bucket < HIST_BUCKETS && hist__high(bucket) <= bound; bucket++)
			sum += counts->total[bucket];
		runs[i] = sum;
	}
	for (; bucket < HIST_BUCKETS; bucket++)
		sum += counts->total[bucket];
	runs[NR_BOUNDS - 1] = sum;
}

/* Updates the histogram of the subject with the index @place. */
static void take_row(struct export_report *er, const struct measurement *m, int place)
{
	const struct counts *counts = m->events[m->hist->evsel->idx];
	struct export_hist_row *row = &er->hist_rows[place];
	uint64_t sum = 0;

	if (er->subjects.list[place].is_new) {
		memcpy(row->earlier_runs, row->runs, sizeof(row->runs));
		row->earlier_sum = row->sum;
	}
	for (int cpu = 0; cpu < counts->cpus->nr; cpu++)
		sum += counts__total(counts, cpu, place).value;
	/*
	 * keep the largest sum: the sum can decrease, because pstat subtracts an estimate of the
	 * cost of counting
	 */
	row->sum = sum > row->sum ? sum : row->sum;
	add_up(&m->hist->rows[place], row->runs);
}

static double bound_of(const struct metric_unit *unit, int nr)
{
	double bound = (double)((1ULL << (FIRST_BIT + nr)) - 1);

	if (nr == NR_BOUNDS - 1)
		return INFINITY;
	return unit->value == VALUE_NS	   ? bound / (double)NSEC_PER_SEC :
	       unit->value == VALUE_NUMBER ? bound * unit->factor :
					     bound;
}

static void add_part(const struct export_subject *subject, enum metric_part part, double le,
		     uint64_t count, struct metric_page *page)
{
	struct metric_sample *sample = metric_page__add(page, subject->labels);

	if (!sample)
		return;
	sample->part = part;
	sample->le = le;
	sample->count = count;
}

static void add_row(struct export_report *er, const struct metric_unit *unit, int place,
		    struct metric_page *page)
{
	const struct export_subject *subject = &er->subjects.list[place];
	const struct export_hist_row *row = &er->hist_rows[place];
	uint64_t sum = row->sum - row->earlier_sum;

	for (int i = 0; i < NR_BOUNDS; i++)
		add_part(subject, PART_BUCKET, bound_of(unit, i),
			 row->runs[i] - row->earlier_runs[i], page);
	add_part(subject, PART_COUNT, 0.0,
		 row->runs[NR_BOUNDS - 1] - row->earlier_runs[NR_BOUNDS - 1], page);
	add_part(subject, PART_SUM, 0.0, sum, page);
	if (unit->value == VALUE_NUMBER && page->nr_samples)
		page->samples[page->nr_samples - 1].number = (double)sum * unit->factor;
}

int export_hist__add(struct export_report *er, const struct measurement *m,
		     struct metric_page *page)
{
	const struct export_event *event = &er->events[m->hist->evsel->idx];
	const struct metric_family family = {
		.name = er->hist_name,
		.help = event->help,
		.unit = event->unit.name,
		.type = METRIC_HISTOGRAM,
		.value = event->unit.value,
	};
	int nr = m->hist->nr < er->nr_places ? m->hist->nr : er->nr_places;
	int err = grow(er, nr);

	if (err)
		return err;
	metric_page__begin(page, &family);
	for (int place = 0; place < nr; place++) {
		take_row(er, m, place);
		if (er->subjects.list[place].is_live && export_totals__is_chosen(er->totals, place))
			add_row(er, &event->unit, place, page);
	}
	return 0;
}

void export_hist__free(struct export_report *er)
{
	free(er->hist_rows);
}
