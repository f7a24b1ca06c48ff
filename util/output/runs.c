// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the text reports of --hist (histograms with bars) and of --outliers (single runs of BPF
 * programs or scopes).
 */
#include <inttypes.h>

#include "util/base/clock.h"
#include "util/output/format.h"
#include "util/report/hist.h"
#include "util/report/outlier_row.h"

/* ---- distributions ---- */

#define BAR_WIDTH 40
#define MOST_LINES 40 /* if more lines would be needed, each line shows several buckets */
/* if at least this number of adjacent lines would be empty, one line replaces them */
#define GAP_MIN 3
#define FIGURE_WIDTH 16

/*
 * Returns @value in the unit of the text report. For clock events, @value is in ms, as in CSV and
 * JSON, but the text report of a histogram is in us.
 */
static double shown(const struct stat_hist *hist, double value)
{
	return hist->is_clock ? value * 1000.0 : value;
}

static int digits_of(const struct stat_hist *hist)
{
	return hist->is_clock ? 3 : hist->fraction ? HIST_DECIMALS : 0;
}

static void add_figure(struct output_state *state, const struct stat_hist *hist, double value)
{
	strbuf__addf(&state->text, "%.*f", digits_of(hist), shown(hist, value));
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

/* Merges @per buckets, beginning with bucket @first, and returns the merged bucket. */
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

/* Adds a line with a bar. If the bucket has at least one run, the bar has at least one mark. */
static void add_bar(struct output_state *state, const struct stat_hist *hist,
		    const struct hist_bucket *bucket, uint64_t most)
{
	int digits = digits_of(hist);
	uint64_t marks = (uint64_t)((double)bucket->runs * BAR_WIDTH / (double)most + 0.5);

	if (bucket->runs && !marks)
		marks = 1;
	strbuf__addf(&state->text, "%*.*f .. %-*.*f %12" PRIu64 " |", FIGURE_WIDTH, digits,
		     shown(hist, bucket->low), FIGURE_WIDTH, digits, shown(hist, bucket->high),
		     bucket->runs);
	for (uint64_t i = 0; i < BAR_WIDTH; i++)
		strbuf__addc(&state->text, i < marks ? '*' : ' ');
	strbuf__adds(&state->text, "|\n");
}

/*
 * Returns the number of adjacent lines without runs, beginning with the line of bucket @first. A
 * line shows @per buckets.
 */
static int empty_lines(const struct stat_hist *hist, int first, int per)
{
	int nr = 0;

	while (first + nr * per < hist->nr && !merged(hist, first + nr * per, per).runs)
		nr++;
	return nr;
}

/*
 * If the line of bucket @first is the first of at least GAP_MIN adjacent empty lines, returns the
 * number of these lines. (A single line replaces all of them.) Otherwise, returns 1.
 */
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

/* Returns the smallest number of buckets per line that gives at most MOST_LINES lines. */
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
	int digits = digits_of(hist);

	strbuf__addf(&state->text, "%*.*f .. %-*.*f %12d | ... %d empty buckets\n", FIGURE_WIDTH,
		     digits, shown(hist, gap.low), FIGURE_WIDTH, digits, shown(hist, gap.high), 0,
		     nr);
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

void runs__add_hist(struct output_state *state, const struct stat_hist *hist)
{
	strbuf__adds(&state->text, "\n ");
	strbuf__add_clean(&state->text, hist->is_clock ? "usec" : hist->unit);
	strbuf__adds(&state->text, *hist->unit ? " " : "");
	strbuf__add_clean(&state->text, hist->event);
	strbuf__adds(&state->text, " per run");
	if (hist->prog) {
		strbuf__addf(&state->text, " of %" PRIu32 " ", hist->prog_id);
		strbuf__add_clean(&state->text, hist->prog);
	}
	if (hist->scope) {
		strbuf__adds(&state->text, " of ");
		strbuf__add_clean(&state->text, hist->scope);
	}
	strbuf__addf(&state->text, ", of %" PRIu64 " runs:\n\n", hist->runs);
	if (!hist->runs)
		return;
	add_percentiles(state, hist);
	add_lines(state, hist);
}

/* ---- single runs ---- */

#define TIME_WIDTH 16
#define COMM_WIDTH 15
#define PROG_WIDTH 15
#define SCOPE_WIDTH 30
#define VALUE_WIDTH 15

static void add_heading(struct output_state *state, const struct outlier_row *row)
{
	strbuf__addf(&state->text, "#%*s ", TIME_WIDTH - 1, row->scope ? "end" : "time");
	if (row->scope)
		strbuf__addf(&state->text, "%*s %4s %7s %-*s %-*s counts of the run\n", TIME_WIDTH,
			     "begin", "cpu", "tid", COMM_WIDTH, "comm", SCOPE_WIDTH, "scope");
	else
		strbuf__addf(&state->text, "%4s %7s %-*s %6s %-*s counts of the run\n", "cpu",
			     "pid", COMM_WIDTH, "comm", "id", PROG_WIDTH, "prog");
}

static void add_time(struct output_state *state, uint64_t ns)
{
	char time[32];

	snprintf(time, sizeof(time), "%" PRIu64 ".%09" PRIu64, (uint64_t)(ns / NSEC_PER_SEC),
		 (uint64_t)(ns % NSEC_PER_SEC));
	strbuf__addf(&state->text, "%*s ", TIME_WIDTH, time);
}

static void add_padded(struct output_state *state, const char *text, size_t width)
{
	size_t before = state->text.len;

	strbuf__add_clean(&state->text, text);
	while (state->text.len - before < width && !strbuf__failed(&state->text))
		strbuf__addc(&state->text, ' ');
}

static void add_std_count(struct output_state *state, const struct outlier_row_count *count)
{
	if (!count->counted)
		strbuf__addf(&state->text, " %*s", VALUE_WIDTH, OUTLIER_NOT_COUNTED);
	else if (state->config.big_num)
		strbuf__addf(&state->text, " %'*" PRIu64, VALUE_WIDTH, count->value);
	else
		strbuf__addf(&state->text, " %*" PRIu64, VALUE_WIDTH, count->value);
	strbuf__adds(&state->text, *count->unit ? " " : "");
	strbuf__add_clean(&state->text, count->unit);
	strbuf__addc(&state->text, ' ');
	strbuf__add_clean(&state->text, count->event);
}

void runs__add_outlier(struct output_state *state, const struct outlier_row *row)
{
	if (!state->outliers)
		add_heading(state, row);
	state->outliers = true;
	add_time(state, row->time_ns);
	if (row->scope)
		add_time(state, row->begin_ns);
	strbuf__addf(&state->text, "%4d %7d ", row->cpu, row->scope ? row->tid : row->pid);
	add_padded(state, row->comm, COMM_WIDTH);
	strbuf__addc(&state->text, ' ');
	if (row->scope) {
		add_padded(state, row->scope, SCOPE_WIDTH);
	} else {
		strbuf__addf(&state->text, "%6" PRIu32 " ", row->prog_id);
		add_padded(state, row->prog, PROG_WIDTH);
	}
	for (int i = 0; i < row->nr_counts; i++)
		add_std_count(state, &row->counts[i]);
	if (row->has_packet && row->packet_len) {
		strbuf__addf(&state->text, "  packet of %" PRIu32 ": ", row->packet_len);
		outlier_row__add_packet(row, &state->text);
	}
	strbuf__addc(&state->text, '\n');
	for (int i = 0; i < row->branches.nr; i++) {
		strbuf__addf(&state->text, "%*sbranch ", TIME_WIDTH + 1, "");
		branch_row__add_text(&row->branches.list[i], &state->text);
		strbuf__addc(&state->text, '\n');
	}
}

void runs__add_outlier_foot(struct output_state *state, const struct outlier_foot *foot)
{
	strbuf__addf(
		&state->text,
		" outliers by %s: %" PRIu64 " streamed, %" PRIu64 " suppressed (more than %" PRIu32
		" a second), %" PRIu64 " lost; %" PRIu64 " in all\n\n",
		foot->passed, foot->streamed, foot->suppressed, foot->rate, foot->lost, foot->all);
}
