/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the repetitions of `pstat stat`: one, or the number that -r gives. */
#ifndef PSTAT_BUILTIN_STAT_SERIES_H
#define PSTAT_BUILTIN_STAT_SERIES_H

#include <signal.h>
#include <stdbool.h>

#include "util/base/log.h"

struct measurement;
struct report;
struct stat_options;
struct stat_output;
struct strbuf;

/* How the repetitions ended. */
struct series_end {
	/*
	 * the signal that ended the repetitions, or 0; the caller must kill pstat with this signal
	 */
	int died_of;
	bool has_refused;  /* the kernel refused an event, or a BPF program of pstat */
	bool has_no_count; /* nothing was counted, because of a refusal */
};

/*
 * Fills in @how, unless the session cannot be made. So the caller must zero @how first. Returns 0,
 * an exit code from builtin.h or compare-print.h, or the command's first nonzero exit code.
 */
int stat_series__run(const struct stat_options *options, struct report *report,
		     struct stat_output *output, struct series_end *how);

/* ---- stat-hooks.c: the actions before and after each repetition (--pre, --sync, --post) ---- */

/*
 * The commands of --pre and --post run with the signal mask @mask. Each function reports the reason
 * if its command fails. In that case, stat_hooks__before() returns -ECANCELED, otherwise 0.
 */
int stat_hooks__before(const struct stat_options *options, const sigset_t *mask);
void stat_hooks__after(const struct stat_options *options, const sigset_t *mask);

/* ---- stat-readings.c, for -v: the values that were read, in the format of perf stat -v ---- */

/*
 * Prints to stderr. With -v, prints "EVENT: VALUE ENABLED RUNNING" for each open event: the sum of
 * its readings (with --for-each-cgroup, a separate sum for each cgroup). The values are not scaled,
 * and the times are in ns. With -vv, before this line, also prints "EVENT: CPU: VALUE ENABLED
 * RUNNING" for each of these readings. CPU is -1 if the event follows a task. If @interval is true,
 * prints the differences since the end of the previous interval instead of totals.
 */
void stat_readings__print(const struct measurement *m, bool interval);

/* ---- stat-reasons.c: lines below the rows ---- */

/* Returns whether an event of @m could not be opened. */
bool stat_reasons__exist(const struct measurement *m);
/*
 * Prints the reasons why events of @m could not be opened. Prints each reason once, with the
 * numbers of all events that have this reason. If no event could be opened, prints only the first
 * reason. If at least one event could be opened, prints nothing under the name perf or with -v.
 * With -v, pstat has already printed the reasons before the rows.
 */
void stat_reasons__print(const struct stat_options *options, const struct measurement *m,
			 enum log_level level);

/*
 * Adds a line about shared counters (counters that BPF reads for several sessions) to @text. The
 * line contains the number of events with shared counters, and the number of events whose counters
 * are not shared, with the reasons. It contains no names of events, because scripts could mistake a
 * line with a name for a row. If BPF reads no counters at context switches, adds nothing.
 */
void stat_reasons__describe_sharing(const struct measurement *m, struct strbuf *text);

#endif
