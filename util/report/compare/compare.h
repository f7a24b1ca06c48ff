/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares two baselines (the counts of two sessions, see baseline.h). Each series (struct
 * baseline_series) of the old or new baseline gets a row with a verdict (verdict.h).
 *
 *	baseline old ─┐
 *	              ├─ compare__run() ─► compare_row[] ─► table and charts | CSV | JSON | Markdown
 *	baseline new ─┘
 */
#ifndef PSTAT_REPORT_COMPARE_COMPARE_H
#define PSTAT_REPORT_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/report/column.h"
#include "util/report/compare/verdict.h"

struct baseline;
struct baseline_series;
struct strbuf;

/* An event that --fail-over names, and its tolerance (see struct comparison). Owns the name. */
struct compare_limit {
	char *event; /* the event as printed */
	double tolerance;
};

struct compare_spec {
	struct compare_limit *limits; /* owned */
	int nr_limits;
	uint64_t seed; /* for the bootstrap (bootstrap.h) */
};

/* The tolerance of events that --fail-over does not name. */
#define COMPARE_TOLERANCE 0.01
#define COMPARE_SEED 1

/*
 * Parses the argument of --fail-over, EVENT:PERCENT%[,EVENT:PERCENT%...], and adds the limits to
 * @spec. The % sign may be omitted. Returns 0, or -errno with the reason in @why.
 */
int compare_spec__parse(struct compare_spec *spec, const char *text, struct strbuf *why);
void compare_spec__free(struct compare_spec *spec);

struct compare_row {
	const char *event, *cgroup, *subject, *aggregate, *unit; /* owned by the baselines */
	/* event, subject, aggregate and cgroup, in the form of baseline_series__add_name() */
	char name[128];
	double old, new; /* medians; NAN: no count */
	/* new median / old median (struct comparison); NAN: a median is missing */
	double ratio;
	double low, high;
	double tolerance;    /* in percent */
	const char *verdict; /* worse, better, within, cannot tell */
	char text[160];	     /* the verdict, and problems with the counts, in words */
	int old_runs, new_runs;
	int more_runs;
	bool decides; /* --fail-over names the event */
	struct comparison result;
};

/*
 * The result of a comparison. Owns all members except the baselines, which must outlive this
 * struct.
 */
struct compare {
	const struct baseline *old, *new;
	struct compare_row *rows;
	double *values; /* the values to which result.old and result.new of all rows point */
	int nr;
	bool is_worse;	  /* an event named in --fail-over is worse */
	bool cannot_tell; /* it is unknown whether an event named in --fail-over is worse */
	/*
	 * with --fail-over: a count of an event named there is missing or multiplexed, or runs of
	 * BPF programs or scopes were lost
	 */
	bool has_gaps;
	uint64_t seed;
};

/*
 * Compares the baselines. Returns 0, -ENOMEM, or -EINVAL with the reason in @why. -EINVAL means
 * either that --fail-over names an event that neither baseline has, or that an event differs
 * between the baselines in its type, attributes (perf_event_attr), unit or kind of values. There
 * are three kinds of values: per repetition, per interval, and per run of BPF programs or scopes.
 */
int compare__run(struct compare *c, const struct baseline *old, const struct baseline *new,
		 const struct compare_spec *spec, struct strbuf *why);
void compare__free(struct compare *c);

/*
 * Adds a line for each difference between the machines, for example "kernel: 6.1.0-1 in the old
 * runs, 6.12.3-1 in the new ones".
 */
void compare__add_differences(const struct compare *c, struct strbuf *sb);

/* ---- compare-columns.c ---- */

/* The columns of struct compare_row. */
extern const struct column compare_columns[];

/*
 * Adds a chart for each row that has old and new values, unless all these values are equal. The two
 * lines of a chart show how the old and the new values are distributed. The charts use block
 * characters or, with @ascii, only ASCII characters.
 */
void compare__add_charts(const struct compare *c, bool ascii, struct strbuf *sb);

#endif
