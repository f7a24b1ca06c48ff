// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/hist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/hist-counts.h"
#include "util/event/evsel.h"

struct hist_sums {
	uint64_t max; /* the largest of all added counts */
	uint64_t runs;
	uint64_t buckets[HIST_BUCKETS];
};

struct hist_sums *hist_sums__new(void)
{
	return calloc(1, sizeof(struct hist_sums));
}

void hist_sums__free(struct hist_sums *sums)
{
	free(sums);
}

void hist_sums__reset(struct hist_sums *sums)
{
	*sums = (struct hist_sums){ 0 };
}

void hist_sums__add(struct hist_sums *sums, const struct hist_counts *counts)
{
	for (int i = 0; i < HIST_BUCKETS; i++) {
		sums->buckets[i] += counts->total[i];
		sums->runs += counts->total[i];
	}
	if (counts->max > sums->max)
		sums->max = counts->max;
}

void hist_sums__set_delta(struct hist_sums *sums, const struct hist_counts *counts)
{
	hist_sums__reset(sums);
	for (int i = 0; i < HIST_BUCKETS; i++) {
		sums->buckets[i] = counts->total[i] - counts->mark[i];
		sums->runs += sums->buckets[i];
	}
	sums->max = counts->max;
}

static uint64_t most_in(const struct hist_sums *sums, int bucket)
{
	uint64_t high = hist__high(bucket);

	return high < sums->max ? high : sums->max;
}

uint64_t hist_sums__percentile(const struct hist_sums *sums, double share)
{
	int bucket = hist__bucket_at(sums->buckets, share, 1);

	return bucket < 0 ? 0 : most_in(sums, bucket);
}

/*
 * Sets *@first to the index of the first bucket with runs, and *@end to 1 + the index of the last
 * bucket with runs. If there are no runs, sets both to 0.
 */
static void find_range(const struct hist_sums *sums, int *first, int *end)
{
	*first = *end = 0;
	for (int i = 0; i < HIST_BUCKETS; i++) {
		if (!sums->buckets[i])
			continue;
		if (!*end)
			*first = i;
		*end = i + 1;
	}
}

int stat_hist__fill(struct stat_hist *hist, const struct hist_sums *sums, const struct evsel *evsel)
{
	double scale = evsel->scale;
	int first, end;

	stat_hist__free(hist);
	find_range(sums, &first, &end);
	*hist = (struct stat_hist){
		.event = evsel->name,
		.unit = evsel->unit,
		.is_clock = evsel__is_clock(evsel) || evsel->tool == TOOL_SCOPE_TIME,
		.fraction = floor(scale) != scale,
		.runs = sums->runs,
		.p50 = scale * (double)hist_sums__percentile(sums, 0.5),
		.p90 = scale * (double)hist_sums__percentile(sums, 0.9),
		.p99 = scale * (double)hist_sums__percentile(sums, 0.99),
		.p999 = scale * (double)hist_sums__percentile(sums, 0.999),
		.max = scale * (double)hist_sums__percentile(sums, 1.0),
		.nr = end - first,
		.buckets = calloc((size_t)(end - first) + 1, sizeof(*hist->buckets)),
	};
	if (!hist->buckets)
		return -ENOMEM;
	for (int i = first; i < end; i++)
		hist->buckets[i - first] =
			(struct hist_bucket){ .low = scale * (double)hist__low(i),
					      .high = scale * (double)hist__high(i),
					      .runs = sums->buckets[i] };
	return 0;
}

void stat_hist__free(struct stat_hist *hist)
{
	free(hist->buckets);
	*hist = (struct stat_hist){ 0 };
}

/* ---- columns ---- */

struct hist_row hist_row__of(const struct stat_hist *hist, int nr)
{
	return (struct hist_row){
		.hist = hist,
		.prog = hist->prog,
		.scope = hist->scope,
		.event = hist->event,
		.unit = hist->unit,
		.prog_id = hist->prog_id,
		.bucket = hist->buckets[nr],
	};
}

static bool has_prog(const void *row)
{
	return ((const struct hist_row *)row)->prog;
}

static bool has_scope(const void *row)
{
	return ((const struct hist_row *)row)->scope;
}

#define BUCKET(outputs, key, member, ...) COLUMN(outputs, key, struct hist_row, member, __VA_ARGS__)
#define BOUND(key, member, digits)                                                         \
	COLUMN_BY(IN_DATA, key, COLUMN_DECIMAL, COLUMN_AT(struct hist_row, bucket.member), \
		  .decimals = (digits))
#define HIST_COLUMNS(digits)                                                               \
	{                                                                                  \
		BUCKET(IN_DATA, "prog-id", prog_id, .has = has_prog),                      \
			BUCKET(IN_DATA, "prog", prog, .has = has_prog),                    \
			BUCKET(IN_DATA, "scope", scope, .has = has_scope),                 \
			BUCKET(IN_CSV, NULL, bucket.runs), BUCKET(IN_JSON, "hist", event), \
			BUCKET(IN_DATA, "unit", unit), BUCKET(IN_CSV, NULL, event),        \
			COLUMN_BY(IN_CSV, NULL, COLUMN_WORD, .word = "hist"),              \
			BOUND("low", low, digits), BOUND("high", high, digits),            \
			BUCKET(IN_JSON, "runs", bucket.runs), { 0 },                       \
	}

const struct column *hist_row__columns(const struct hist_row *row)
{
	static const struct column whole[] = HIST_COLUMNS(0),
				   fraction[] = HIST_COLUMNS(HIST_DECIMALS);

	return row->hist->fraction ? fraction : whole;
}
