// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat stat works in these steps: options → session (counts) → report (rows) → output (bytes). No
 * step depends on a later step.
 *
 *	stat-options.c		turns argv into final options, with the files listed in stat-raw.h
 *	stat-report.c		makes the report that the options request: util/report/report.h
 *	stat-output.c		prints the report to a file or stderr: util/output/output.h
 *	stat-series.c		runs a session (util/count/session.h) for each repetition;
 *				stat-hooks.c runs --pre and --post before and after each repetition
 *	stat-baseline.c		--save, --against and --ab: keeps and compares counts
 *	stat-smi.c		--smi-cost: changes a setting of the machine for all repetitions
 *	stat-metrics.c		-M, -T, --topdown and --smi-cost, and the events that they add
 *	stat-readings.c		-v: prints the values that were read
 *	stat-reasons.c		prints lines below the rows: why events were not counted, and
 *				whether the counters that BPF reads were shared
 */

#include "builtin/builtin.h"
#include "builtin/count-end.h"
#include "builtin/stat/stat-options.h"
#include "builtin/stat/stat-output.h"
#include "builtin/stat/stat-report.h"
#include "builtin/stat/stat-series.h"
#include "builtin/stat/stat-smi.h"
#include "builtin/version.h"
#include "builtin/why/why-hint.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

static int run_stat(const struct stat_options *options, struct series_end *how)
{
	struct stat_output *output = NULL;
	struct stat_report *report;
	int code = stat_report__new(options, &report);
	bool frozen = false;

	if (!code && options->metrics.smi_cost)
		code = stat_smi__freeze(&frozen);
	if (!code && stat_output__new(options, &output))
		code = EXIT_FAILED;
	code = code ?: stat_series__run(options, stat_report__get(report), output, how);
	if (frozen)
		stat_smi__thaw();
	if (stat_output__free(output))
		code = EXIT_FAILED;
	stat_report__free(report);
	return code;
}

/*
 * Returns whether the session needs libbpf: for BPF programs that count, or for the points of
 * --start and --stop.
 */
static bool uses_bpf(const struct stat_options *options)
{
	const struct stat_config *cfg = &options->count;
	bool uses = cfg->progs || cfg->scopes || cfg->points;
	const struct evsel *evsel;

	evlist__for_each(options->evlist, evsel)
		uses |= !backend__for(evsel, cfg)->is_native;
	return uses;
}

static bool has_filter(const struct evlist *evlist)
{
	const struct evsel *evsel;

	evlist__for_each(evlist, evsel)
		if (evsel->filter)
			return true;
	return false;
}

static void explain(int argc, char **argv, const struct stat_options *options,
		    const struct series_end *how)
{
	const struct why_hint hint = { .argc = argc, .argv = argv, .options = options };

	if (!how->has_refused || how->died_of)
		return;
	/* a wrong filter has its own message, and `pstat why` does not set filters */
	if (how->has_no_count && has_filter(options->evlist))
		return;
	bpf_util__init();
	why_hint__print(&hint, how->has_no_count ? LOG_ERROR : why_hint__level_beside_rows());
}

static int parse_and_run(int argc, char **argv, const char **file_command)
{
	struct stat_options options;
	struct series_end how = { 0 };
	int code;

	command__set_locale();
	argv[0] = (char *)"pstat";
	code = stat_options__parse(argc, argv, file_command != NULL, &options);
	if (file_command)
		*file_command = code ? NULL : options.file_command;
	if (file_command && *file_command) {
		/* another perf will run this command */
	} else if (!code && options.show_version) {
		version__print(options.verbose);
	} else if (!code) {
		if (uses_bpf(&options))
			bpf_util__init();
		code = run_stat(&options, &how);
		explain(argc, argv, &options, &how);
	}
	stat_options__free(&options);
	if (how.died_of)
		count_end__die_of(how.died_of);
	return code;
}

int command__stat(int argc, char **argv)
{
	return parse_and_run(argc, argv, NULL);
}

int stat__run_as_perf(int argc, char **argv, const char **file_command)
{
	return parse_and_run(argc, argv, file_command);
}
