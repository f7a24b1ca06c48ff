// SPDX-License-Identifier: GPL-2.0-only
/* Distributions: for people percentiles and a bar for each bucket, for programs a line for each that is not empty. */
#include "util/report/hist.h"

#include <inttypes.h>

#include "util/base/decimal.h"
#include "util/base/json-writer.h"
#include "util/output/format.h"

#define BAR_WIDTH 40
#define MOST_LINES 40 /* beyond this number of lines, several buckets share one line */
#define GAP_MIN 3     /* this number of empty buckets in a row share one line */
#define FIGURE_WIDTH 16
#define FRACTION_DIGITS 6

static void add_figure(struct output_state *state, const struct stat_hist *hist, double value)
{
	strbuf__addf(&state->text, "%.*f", hist->fraction ? FRACTION_DIGITS : 0, value);
}

static void add_percentiles(struct output_state *state, const struct stat_hist *hist)
{
	const struct {
		const char *name;
		double value;
	} all[] = { { "p50", hist->p50 },
		    { "p90", hist->p90 },
		    { "p99", hist->p99 },
		    { "p99.9", hist->p999 },
		    { "max", hist->max } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		strbuf__addf(&state->text, "%s%s ", i ? "   " : "        ", all[i].name);
		add_figure(state, hist, all[i].value);
	}
	strbuf__adds(&state->text, "\n\n");
}

/* @per buckets from @first on as one. */
static struct hist_bucket merged(const struct stat_hist *hist, int first, int per)
{
	struct hist_bucket all = hist->buckets[first];

	for (int i = first + 1; i < first + per && i < hist->nr; i++) {
		all.high = hist->buckets[i].high;
		all.runs += hist->buckets[i].runs;
	}
	return all;
}

static uint64_t most_runs(const struct stat_hist *hist, int per)
{
	uint64_t most = 0;

	for (int i = 0; i < hist->nr; i += per) {
		struct hist_bucket bucket = merged(hist, i, per);

		most = bucket.runs > most ? bucket.runs : most;
	}
	return most;
}

/* A bucket with runs has one mark at least. */
static void add_bar(struct output_state *state, const struct stat_hist *hist, const struct hist_bucket *bucket,
		    uint64_t most)
{
	int digits = hist->fraction ? FRACTION_DIGITS : 0;
	uint64_t marks = (uint64_t)((double)bucket->runs * BAR_WIDTH / (double)most + 0.5);

	if (bucket->runs && !marks)
		marks = 1;
	strbuf__addf(&state->text, "%*.*f .. %-*.*f %12" PRIu64 " |", FIGURE_WIDTH, digits, bucket->low, FIGURE_WIDTH,
		     digits, bucket->high, bucket->runs);
	for (uint64_t i = 0; i < BAR_WIDTH; i++)
		strbuf__addc(&state->text, i < marks ? '*' : ' ');
	strbuf__adds(&state->text, "|\n");
}

/* Returns the number of empty lines from bucket @first on, with @per buckets to a line. */
static int empty_lines(const struct stat_hist *hist, int first, int per)
{
	int nr = 0;

	while (first + nr * per < hist->nr && !merged(hist, first + nr * per, per).runs)
		nr++;
	return nr;
}

/* Returns the number of lines from bucket @first on that are printed as one; at least 1. */
static int lines_at(const struct stat_hist *hist, int first, int per)
{
	int empty = empty_lines(hist, first, per);

	return empty >= GAP_MIN ? empty : 1;
}

static int count_lines(const struct stat_hist *hist, int per)
{
	int nr = 0;

	for (int i = 0; i < hist->nr; i += lines_at(hist, i, per) * per)
		nr++;
	return nr;
}

/* Returns the smallest number of buckets to a line that keeps the distribution within MOST_LINES. */
static int buckets_per_line(const struct stat_hist *hist)
{
	int per = 1;

	while (count_lines(hist, per) > MOST_LINES)
		per++;
	return per;
}

static void add_gap(struct output_state *state, const struct stat_hist *hist, int first, int nr)
{
	struct hist_bucket gap = merged(hist, first, nr);
	int digits = hist->fraction ? FRACTION_DIGITS : 0;

	strbuf__addf(&state->text, "%*.*f .. %-*.*f %12d | ... %d empty buckets\n", FIGURE_WIDTH, digits, gap.low,
		     FIGURE_WIDTH, digits, gap.high, 0, nr);
}

static void add_lines(struct output_state *state, const struct stat_hist *hist)
{
	int per = buckets_per_line(hist), lines;
	uint64_t most = most_runs(hist, per);

	for (int i = 0; i < hist->nr; i += lines * per) {
		struct hist_bucket bucket = merged(hist, i, per);

		lines = lines_at(hist, i, per);
		if (lines > 1)
			add_gap(state, hist, i, lines * per);
		else
			add_bar(state, hist, &bucket, most);
	}
}

void hist__add_std(struct output_state *state, const struct stat_hist *hist)
{

	strbuf__adds(&state->text, "\n ");
	strbuf__add_clean(&state->text, hist->unit);
	strbuf__adds(&state->text, *hist->unit ? " " : "");
	strbuf__add_clean(&state->text, hist->event);
	strbuf__adds(&state->text, " per run");
	if (hist->prog) {
		strbuf__addf(&state->text, " of %" PRIu32 " ", hist->prog_id);
		strbuf__add_clean(&state->text, hist->prog);
	}
	strbuf__addf(&state->text, ", of %" PRIu64 " runs:\n\n", hist->runs);
	if (!hist->runs)
		return;
	add_percentiles(state, hist);
	add_lines(state, hist);
}

void hist__add_csv(struct output_state *state, const struct stat_hist *hist)
{
	const char *sep = state->config.separator;
	int digits = hist->fraction ? FRACTION_DIGITS : 0;

	for (int i = 0; i < hist->nr; i++) {
		const struct hist_bucket *bucket = &hist->buckets[i];

		if (!bucket->runs)
			continue;
		format__csv_begin(state);
		format__csv_prog(state, hist->prog, hist->prog_id);
		strbuf__addf(&state->text, "%" PRIu64 "%s", bucket->runs, sep);
		format__csv_field(state, hist->unit);
		strbuf__adds(&state->text, sep);
		format__csv_field(state, hist->event);
		strbuf__adds(&state->text, sep);
		format__csv_field(state, "hist");
		strbuf__adds(&state->text, sep);
		decimal__add(&state->text, bucket->low, digits);
		strbuf__adds(&state->text, sep);
		decimal__add(&state->text, bucket->high, digits);
		strbuf__addc(&state->text, '\n');
	}
}

void hist__add_json(struct output_state *state, const struct stat_hist *hist)
{
	int digits = hist->fraction ? FRACTION_DIGITS : 0;

	for (int i = 0; i < hist->nr; i++) {
		const struct hist_bucket *bucket = &hist->buckets[i];
		struct json_writer w;

		if (!bucket->runs)
			continue;
		json__begin(&w, &state->text);
		if (state->time)
			json__time(&w, "interval", (uint64_t)state->time->tv_sec, (uint32_t)state->time->tv_nsec);
		if (hist->prog) {
			json__uint(&w, "prog-id", hist->prog_id);
			json__string(&w, "prog", hist->prog);
		}
		json__string(&w, "hist", hist->event);
		json__string(&w, "unit", hist->unit);
		json__fixed(&w, "low", bucket->low, digits);
		json__fixed(&w, "high", bucket->high, digits);
		json__uint(&w, "runs", bucket->runs);
		json__end(&w);
		strbuf__addc(&state->text, '\n');
	}
}
