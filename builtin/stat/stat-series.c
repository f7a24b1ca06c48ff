// SPDX-License-Identifier: GPL-2.0-only
/*
 *	before ─► session__run ─► after		one repetition of -r
 *	              │     └──► report__add_run
 *	              └► intervals
 *	report__rows ─► output			once at the end; with -r 0 after each repetition
 *
 * A signal ends the series (all repetitions). The totals include an interrupted repetition only if
 * they include no other repetition. With -r 0, each repetition has its own totals.
 */
#include "builtin/stat/stat-series.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/count-end.h"
#include "builtin/stat/stat-baseline.h"
#include "builtin/stat/stat-options.h"
#include "builtin/stat/stat-output.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/counts.h"
#include "util/count/measurement.h"
#include "util/count/session.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/output/metric-only.h"
#include "util/output/output.h"
#include "util/report/report.h"
#include "util/report/stat_row.h"
#include "util/report/stats.h"

struct series {
	const struct stat_options *options;
	struct report *report;
	struct stat_output *output;
	struct session *session;
	struct stat_rows rows;
	const struct measurement *last; /* counts of the latest repetition in the report, or NULL */
	struct stat_baseline *baseline; /* NULL: counts are neither saved nor compared */
	int side;			/* --ab: index of the command of this repetition */
	bool warms_up;			/* this repetition is a warm-up, which is discarded */
	uint64_t begun;			/* number of repetitions that have begun */
	uint64_t runs;			/* number of repetitions added to the report */
	double *seconds;		/* the time of each repetition, for --table */
	uint64_t missed;		/* the sum of session_end.missed_intervals */
	bool loss_reported;		/* count_end__report_loss() was called */
	int cut_short_by;		/* the signal that prevented further repetitions, or 0 */
	int code;
};

/* If @err is not 0, reports that rows could not be made. Returns @err. */
static int made(int err)
{
	if (err)
		pr_err("cannot prepare the counts for printing: %s", strerror(-err));
	return err;
}

static bool is_for_programs(const struct stat_options *options)
{
	return options->csv_separator || options->json;
}

/*
 * Returns the level of messages about gaps in the counts. If CSV or JSON is printed to stderr,
 * pstat prints these messages only with -v.
 */
static enum log_level notice_level(const struct stat_options *options)
{
	bool feeds_a_program = is_for_programs(options) && !options->output &&
			       (options->log_fd < 0 || options->log_fd == STDERR_FILENO);

	return feeds_a_program ? LOG_INFO : LOG_WARNING;
}

/*
 * Prints the readings for -v. CSV and JSON contain the readings in their fields, so with these
 * formats, pstat prints them only with -vv.
 */
static void print_readings(const struct stat_options *options, const struct measurement *m,
			   bool interval)
{
	if (log__enabled(is_for_programs(options) ? LOG_DEBUG : LOG_INFO))
		stat_readings__print(m, interval);
}

/* Called at the end of each interval (session_sink.interval). */
static int show_interval(void *ctx, const struct measurement *m)
{
	struct series *s = ctx;
	int err;

	if (!s->options->hides_intervals)
		print_readings(s->options, m, true);
	stat_rows__reset(&s->rows);
	err = made(report__interval(s->report, m, &s->rows));
	if (s->baseline && !s->warms_up)
		err = err ?: made(stat_baseline__add_rows(s->baseline, s->side, &s->rows));
	if (err || s->options->hides_intervals || s->warms_up)
		return err;
	return stat_output__interval(s->output, m->time_ns, &s->rows);
}

/* Called for each run that --outliers reports (session_sink.run). */
static int show_outlier(void *ctx, const struct outlier *outlier)
{
	const struct series *s = ctx;

	return stat_output__outlier(s->output, outlier);
}

static double to_seconds(double ns)
{
	return ns / (double)NSEC_PER_SEC;
}

/* Identifies an event in a message by its number instead of its name (see stat-reasons.c). */
static const char *say_which(char *text, size_t size, int event, int nr)
{
	if (nr == 1)
		snprintf(text, size, "the event");
	else
		snprintf(text, size, "event %d of %d", event + 1, nr);
	return text;
}

/*
 * Returns the number of cgroups for which each event has rows, or 1 if there are no cgroups. With
 * --cgroup-follow, also returns 1, because the number is unknown.
 */
static int nr_cgroups(const struct stat_options *options)
{
	return options->count.nr_each_cgroup ?: 1;
}

/*
 * Warns if the mean excludes repetitions. In @missed repetitions, the event could not be opened; in
 * @waited repetitions, it never had a counter. @which is the text from say_which().
 */
static void warn_of_missed(const struct series *s, const char *which, uint64_t missed,
			   uint64_t waited)
{
	uint64_t runs = (uint64_t)report__elapsed(s->report)->n;

	if (missed && missed < runs)
		log__print(notice_level(s->options),
			   "%s: the mean excludes the %llu of %llu repetitions in which the event "
			   "could not be opened\n-v prints the reason",
			   which, (unsigned long long)missed, (unsigned long long)runs);
	/* if there is only one repetition, the output shows that the event was not counted */
	if (waited && runs > 1)
		log__print(notice_level(s->options),
			   "%s: the mean excludes the %llu of %llu repetitions in which the event "
			   "never had a counter\ncount fewer events at once, or end other tools "
			   "that use counters",
			   which, (unsigned long long)waited, (unsigned long long)runs);
}

static void warn_of_missed_runs(const struct series *s)
{
	int events = s->options->evlist->nr, nr = events * nr_cgroups(s->options);

	for (int i = 0; i < nr; i++) {
		uint64_t missed = (uint64_t)report__missed(s->report, i % events, i / events);
		uint64_t waited = (uint64_t)report__waited(s->report, i % events, i / events);
		char which[64];

		say_which(which, sizeof(which), i, nr);
		warn_of_missed(s, which, missed, waited);
	}
}

/* With --metric-only, warns if no metric has a value. Does nothing for CSV and JSON. */
static void explain_no_metric(const struct stat_options *options, const struct stat_rows *rows)
{
	if (options->metrics.only && !is_for_programs(options) && !metric_only__has_values(rows))
		pr_warn("--metric-only: no metric of these events has a value\n"
			"select metrics with -M (`pstat list metrics`), or omit --metric-only to "
			"see the counts");
}

static int show_total(struct series *s, const struct session_end *end)
{
	const struct stats *elapsed = report__elapsed(s->report);
	struct output_foot foot = {
		.elapsed = to_seconds(elapsed->mean),
		.deviation = to_seconds(stats__deviation(elapsed)),
		.shortest = to_seconds(elapsed->min),
		.longest = to_seconds(elapsed->max),
		.runs = s->seconds,
		.nr_runs = (int)s->runs,
		.has_rusage = s->options->runs == 1 && end->command_ended &&
			      stat_config__counts_command(&s->options->count) &&
			      !s->options->count.points,
		.user = to_seconds((double)end->user_ns),
		.sys = to_seconds((double)end->sys_ns),
	};
	int err;

	warn_of_missed_runs(s);
	stat_rows__reset(&s->rows);
	err = made(report__rows(s->report, &s->rows));
	err = err ?: stat_output__total(s->output, &s->rows, &foot, (int)s->runs);
	if (!err)
		explain_no_metric(s->options, &s->rows);
	return err;
}

/*
 * For --save, --against and --ab: keeps the number of lost runs of a repetition and, without
 * intervals, its counts and times.
 */
static int keep_values(struct series *s, const struct session_end *end)
{
	/* an interrupted repetition is too short to be compared with complete ones */
	bool keeps = s->baseline && (!end->signal || s->options->runs == 1);
	int err = 0;

	if (keeps && !s->options->count.interval_ns) {
		stat_rows__reset(&s->rows);
		err = report__interval(s->report, end->total, &s->rows);
		err = err ?: stat_baseline__add_rows(s->baseline, s->side, &s->rows);
	}
	if (keeps)
		err = err ?: stat_baseline__add_run(s->baseline, s->side, end);
	return made(err);
}

static int add_run(struct series *s, const struct session_end *end)
{
	int err = keep_values(s, end);

	if (err)
		return err;
	if (s->seconds) {
		double *seconds = realloc(s->seconds, sizeof(*seconds) * (size_t)(s->runs + 1));

		if (!seconds)
			return made(-ENOMEM);
		seconds[s->runs] = to_seconds((double)end->total->time_ns);
		s->seconds = seconds;
	}
	s->runs++;
	s->last = end->total;
	return made(report__add_run(s->report, end->total));
}

static bool shows_totals(const struct stat_options *options)
{
	return !stat_options__compares(options) &&
	       (!options->count.interval_ns || options->hides_intervals || options->summary);
}

/*
 * Adds the counts of a repetition to the report, unless a signal interrupted the repetition and the
 * report already contains other repetitions. With -r 0, adds and prints the counts of every
 * repetition. Does nothing for a warm-up.
 */
static int keep_run(struct series *s, const struct session_end *end)
{
	bool forever = !s->options->runs;
	int err = 0;

	if (s->warms_up)
		return 0;
	if (shows_totals(s->options))
		print_readings(s->options, end->total, false);
	if (!end->signal || !s->runs || forever)
		err = add_run(s, end);
	if (!err && forever && shows_totals(s->options)) {
		err = show_total(s, end);
		report__reset(s->report);
	}
	return err;
}

static void explain_never_enabled(const struct stat_options *options, const struct session_end *end)
{
	const struct stat_config *cfg = &options->count;

	if (cfg->delay_ns && !end->signal)
		log__print(notice_level(options), "the count ended during the delay of -D: "
						  "nothing was counted");
	if (cfg->start_disabled && !cfg->control)
		log__print(notice_level(options),
			   "with -D -1, only --control enables the events, so nothing was counted: "
			   "give --control too");
}

static void explain_never_started(const struct stat_options *options, const struct session_end *end)
{
	if (end->never_started && !end->never_enabled)
		log__print(notice_level(options),
			   "the point of --start was never reached: nothing was counted");
}

/* Returns the number of repetitions, including warm-ups; with --ab, of both commands together. */
static uint64_t nr_runs(const struct stat_options *options)
{
	return (options->runs + options->compare.warmup) * (options->compare.nr_ab ? 2 : 1);
}

/*
 * Makes one repetition, with --pre before it and --post after it. Returns 0, or the exit code with
 * which the series ends. As in perf, if --pre fails, only this repetition is skipped. The exit
 * codes of --pre and --post do not affect the exit code of pstat.
 */
static int run_once(struct series *s, struct session_end *end)
{
	const struct stat_options *options = s->options;
	const struct session_sink sink = { .ctx = s,
					   .interval = show_interval,
					   .run = show_outlier };
	const sigset_t *mask = session__signal_mask(s->session);
	int code;

	if ((options->pre || options->sync) && stat_hooks__before(options, mask))
		return 0;
	if (options->compare.nr_ab)
		session__set_command(s->session, options->compare.ab_argv[s->side]);
	session__set_more_runs(s->session, !options->runs || s->begun < nr_runs(options));
	if (session__run(s->session, &sink, end))
		return count_end__failed(end);
	if (end->exec_err)
		return count_end__exec_failed(options->count.argv[0], end->exec_err);
	s->missed += end->missed_intervals;
	code = count_end__command_code(end->command_ended ? options->count.argv[0] : NULL, end,
				       options->quiet);
	s->code = s->code ?: code;
	if (end->loss.found && !s->loss_reported)
		count_end__report_loss(
			options->count.argv[0], &end->loss,
			"count with --bpf-counters or -a, which need more privileges",
			notice_level(options));
	s->loss_reported |= end->loss.found;
	if (end->never_enabled)
		explain_never_enabled(options, end);
	explain_never_started(options, end);
	if (keep_run(s, end))
		return EXIT_FAILED;
	if (options->post)
		stat_hooks__after(options, mask);
	return 0;
}

/*
 * Returns the index of the --ab command for repetition @run. The order is A B B A, A B B A, and so
 * on. With this order, a machine that becomes slower or faster affects both commands alike.
 */
static int side_of(uint64_t run)
{
	return (int)((run + 1) / 2 % 2);
}

/* Makes all repetitions. Returns 0, or the exit code with which run_once() ended the series. */
static int run_all(struct series *s, struct session_end *end)
{
	int code = 0;
	uint64_t nr = nr_runs(s->options);
	uint64_t warmups = s->options->compare.warmup * (s->options->compare.nr_ab ? 2 : 1);

	for (uint64_t run = 0; !code && (!s->options->runs || run < nr); run++) {
		if (nr != 1)
			pr_info("run %llu", (unsigned long long)run + 1);
		s->begun = run + 1;
		s->side = s->options->compare.nr_ab ? side_of(run) : 0;
		s->warms_up = run < warmups;
		code = run_once(s, end);
		if (s->options->runs && run + 1 == nr)
			break;
		s->cut_short_by = end->signal ?: session__pending_signal(s->session);
		if (s->cut_short_by)
			break;
	}
	return code;
}

static int print_sharing(const struct series *s, const struct measurement *m)
{
	struct strbuf text = STRBUF_INIT;
	int err = 0;

	stat_reasons__describe_sharing(m, &text);
	if (strbuf__failed(&text))
		err = made(-ENOMEM);
	else if (text.len)
		err = stat_output__note(s->output, text.text);
	strbuf__free(&text);
	return err;
}

int stat_series__run(const struct stat_options *options, struct report *report,
		     struct stat_output *output, struct series_end *how)
{
	struct series s = { .options = options, .report = report, .output = output };
	struct session_end end = {};
	int code, err, closing_signal, verdict = 0;

	code = stat_options__keeps_counts(options) ? stat_baseline__new(options, &s.baseline) : 0;
	if (code)
		return code;
	if (session__new(options->evlist, &options->count, &s.session)) {
		if (s.baseline)
			stat_baseline__free(s.baseline);
		return EXIT_FAILED;
	}
	err = report__begin(report, session__measurement(s.session));
	if (options->table)
		s.seconds = calloc(1, sizeof(*s.seconds));
	if (options->table && !s.seconds)
		err = -ENOMEM;
	code = made(err) ? EXIT_FAILED : run_all(&s, &end);
	count_end__report_missed(s.missed, notice_level(options));
	/* as in perf, print rows even if all repetitions were skipped because --pre failed */
	if (options->runs && shows_totals(options) && (s.runs || (!code && !s.cut_short_by)) &&
	    show_total(&s, &end))
		code = EXIT_FAILED;
	if (!code && s.baseline)
		verdict = stat_baseline__finish(s.baseline, output);
	if (s.last && s.last->outliers && stat_output__outlier_foot(output, s.last->outliers))
		code = EXIT_FAILED;
	/* without a final reading, there are no counts; any error has already been reported */
	if (end.total)
		stat_reasons__print(options, end.total, notice_level(options));
	if (end.total && print_sharing(&s, end.total))
		code = EXIT_FAILED;
	closing_signal = session__end(s.session, notice_level(options));
	/* if a signal is still pending now, session__free() unblocks it, and it kills pstat */
	how->died_of = code			     ? closing_signal :
		       count_end__fatal_signal(&end) ?:
		       s.cut_short_by		     ?:
						       closing_signal;
	how->has_no_count = end.is_refused;
	how->has_refused = end.is_refused || (end.total && stat_reasons__exist(end.total));
	session__free(s.session);
	stat_rows__free(&s.rows);
	free(s.seconds);
	if (s.baseline)
		stat_baseline__free(s.baseline);
	return code ?: s.code ?: verdict;
}
