// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat stat, in its order: options → session (counts) → report (rows) → output (bytes). Each step knows nothing of those
 * after it.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/stat-options.h"
#include "builtin/stat-output.h"
#include "builtin/version.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/session.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpumap.h"
#include "util/output/output.h"
#include "util/report/aggr.h"
#include "util/report/report.h"
#include "util/report/stat_row.h"

/* What a run of the command carries from step to step. */
struct stat {
	const struct stat_options *options;
	struct aggr_map *aggr;
	struct report *report;
	struct stat_rows rows;
	struct stat_output *output;
};

static int make_report(struct stat *stat)
{
	struct report_config config = {
		.evlist = stat->options->evlist,
		.system_wide = stat->options->count.system_wide,
		.metrics = stat->options->metrics.set,
		.metric_only = stat->options->metrics.only,
	};
	struct cpumap *cpus = NULL;
	int err = 0;

	if (stat_config__per_task(&stat->options->count))
		cpus = cpumap__any();
	else if (stat->options->count.cpus)
		cpus = cpumap__copy(stat->options->count.cpus);
	else
		err = cpumap__online(sysroots__host(), &cpus);
	if (!err && cpus)
		stat->aggr = aggr_map__new(stat->options->count.aggr_mode, cpus, NULL);
	cpumap__free(cpus);
	config.aggr = stat->aggr;
	if (stat->aggr)
		stat->report = report__new(&config);
	if (stat->report)
		return 0;
	pr_err("cannot prepare the report: %s", strerror(err ? -err : ENOMEM));
	return err ?: -ENOMEM;
}

static int write_failed(int err)
{
	if (err)
		pr_err("cannot write the output: %s", strerror(-err));
	return err;
}

/* session_interval_fn */
static int show_interval(void *ctx, const struct session_tick *tick)
{
	struct timespec when = { .tv_sec = (time_t)(tick->time_ns / NSEC_PER_SEC),
				 .tv_nsec = (long)(tick->time_ns % NSEC_PER_SEC) };
	struct stat *stat = ctx;
	struct output *stream = stat_output__stream(stat->output);
	int err = stream ? 0 : -EIO;

	stat_rows__reset(&stat->rows);
	err = err ?: report__interval(stat->report, tick->counts, (double)tick->length_ns, &stat->rows);
	err = err ?: write_failed(output__interval(stream, &when, &stat->rows));
	return err;
}

static int show_total(struct stat *stat, const struct session_end *end)
{
	double elapsed = (double)end->total.time_ns;
	struct output_foot foot = {
		.elapsed = elapsed / (double)NSEC_PER_SEC,
		.has_rusage = end->command_ended && stat_config__counts_command(&stat->options->count),
		.user = (double)end->user_ns / (double)NSEC_PER_SEC,
		.sys = (double)end->sys_ns / (double)NSEC_PER_SEC,
	};
	int err;

	report__add_run(stat->report, end->total.counts, elapsed);
	err = report__rows(stat->report, &stat->rows);
	err = err ?: stat_output__begin(stat->output);
	if (err)
		return err;
	err = output__rows(stat_output__stream(stat->output), &stat->rows);
	err = err ?: output__end(stat_output__stream(stat->output), &foot);
	return write_failed(err);
}

/* When not one event could be counted, the reason is not left to -v. */
static void explain_nothing_counted(const struct counts_set *set)
{
	for (int i = 0; i < set->nr; i++)
		if (!set->events[i]->open_err)
			return;
	if (set->nr && set->events[0]->why_not)
		pr_warn("nothing could be counted: %s", set->events[0]->why_not);
}

static int exec_failed(const struct stat_options *options, int err)
{
	pr_err("%s: cannot be run: %s", options->count.argv[0], strerror(-err));
	return err == -ENOENT ? 127 : 126;
}

/* The command's own exit code, and as a shell has it 128 + N for one that signal N ended. */
static int command_code(const struct stat_options *options, const struct session_end *end)
{
	int status = end->command_status;

	if (!end->command_ended)
		return 0;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	psignal(WTERMSIG(status), options->count.argv[0]);
	/* that was our doing, as asked */
	if (end->timed_out && WTERMSIG(status) == SIGTERM)
		return 0;
	return 128 + WTERMSIG(status);
}

/* Whoever started us is told by the same signal that it was a signal that ended the count. */
static void die_of(int sig)
{
	signal(sig, SIG_DFL);
	raise(sig);
}

static int run_stat(struct stat *stat, int *died_of)
{
	struct session *session;
	struct session_end end;
	int code = EXIT_FAILED;

	if (session__new(stat->options->evlist, &stat->options->count, &session))
		return EXIT_FAILED;
	if (session__run(session, show_interval, stat, &end))
		goto out;
	if (end.exec_err) {
		code = exec_failed(stat->options, end.exec_err);
		goto out;
	}
	if (end.missed_intervals)
		pr_warn("%llu intervals were missed: the one before took too long; a longer -I has none",
			(unsigned long long)end.missed_intervals);
	code = command_code(stat->options, &end);
	if (!stat->options->count.interval_ns && show_total(stat, &end))
		code = EXIT_FAILED;
	explain_nothing_counted(end.total.counts);
	if (end.signal && !end.command_ended)
		*died_of = end.signal;
out:
	session__free(session);
	return code;
}

/* An fd is needed for each event, CPU and thread, and the usual limit is 1024. */
static void raise_fd_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int cmd_stat(int argc, char **argv)
{
	struct stat_options options;
	struct stat stat = { .options = &options };
	int died_of = 0, code;

	setlocale(LC_ALL, "");
	argv[0] = (char *)"pstat";
	code = stat_options__parse(argc, argv, &options);
	if (code)
		goto out;
	if (options.show_version) {
		version__print(options.verbose);
		goto out;
	}
	bpf_util__init();
	raise_fd_limit();
	code = EXIT_FAILED;
	if (!make_report(&stat) && !stat_output__new(&options, &stat.output))
		code = run_stat(&stat, &died_of);
	stat_output__free(stat.output);
	report__free(stat.report);
	aggr_map__free(stat.aggr);
	stat_rows__free(&stat.rows);
out:
	stat_options__free(&options);
	if (died_of)
		die_of(died_of);
	return code;
}
