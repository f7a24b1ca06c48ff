// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pairs of options that perf accepts, but of which it ignores one. Scripts use such pairs, so pstat
 * accepts them and ignores the same option, whatever the order. The rules are in perf's
 * target__validate(), opt_aggr_mode_to_aggr_mode() and add_default_attributes() (Linux 6.12).
 */
#include <stdio.h>

#include "builtin/stat/stat-raw.h"

/*
 * Tasks override CPUs. Prints perf's lines, without "pstat: " and even with --quiet, as perf does.
 */
static void resolve_tasks_or_cpus(struct raw_options *raw)
{
	const char *line = NULL;

	if (raw->to->pid_text)
		option_words__drop(raw, "-t");
	if (!raw->to->pid_text && !raw->to->tid_text)
		return;
	if (raw->to->all_cpus)
		line = "PID/TID switch overriding SYSTEM";
	if (raw->to->cpu_text)
		line = "PID/TID switch overriding CPU";
	if (line)
		fprintf(stderr, "%s\n", line);
	option_words__drop(raw, "-C");
	option_words__drop(raw, "-a");
}

/* The first of these modes that was given chooses the rows; the others are ignored. */
static void resolve_mode(struct raw_options *raw)
{
	static const enum aggr_mode order[] = {
		AGGR_NONE,    AGGR_THREAD, AGGR_CORE,	AGGR_CACHE,
		AGGR_CLUSTER, AGGR_DIE,	   AGGR_SOCKET, AGGR_NODE,
	};
	enum aggr_mode mode = AGGR_GLOBAL;

	if (!raw->modes)
		return;
	for (size_t i = sizeof(order) / sizeof(order[0]); i > 0; i--)
		if (raw->modes & 1U << order[i - 1])
			mode = order[i - 1];
	raw->to->count.aggr_mode = mode;
	for_each_option_row(row)
		if (row->value.kind == OPTION_MODE && row->value.which != (int)mode)
			raw->given[row - option_rows] = NULL;
}

/* -n overrides all of these options. Of the others, the first one overrides those after it. */
static void resolve_metrics(struct stat_metrics *metrics, bool null_run)
{
	metrics->transaction &= !null_run;
	metrics->smi_cost &= !null_run && !metrics->transaction;
	metrics->topdown &= !null_run && !metrics->transaction && !metrics->smi_cost;
}

void resolve_overrides(struct raw_options *raw)
{
	struct stat_options *to = raw->to;

	resolve_tasks_or_cpus(raw);
	resolve_mode(raw);
	resolve_metrics(&to->metrics, to->null_run);
	if (raw->to->prog_text || raw_options__has_word(raw, WORD_SCOPE))
		option_words__drop(raw, "--bpf-counters");
	if (to->null_run)
		raw->detailed = 0;
	/*
	 * JSON overrides CSV. In perf, lines begin as JSON and end as CSV, which no program can
	 * read.
	 */
	if (to->json)
		to->csv_separator = NULL;
	/* like perf, do not open or create a file if nothing is written to it */
	if (to->quiet)
		to->output = NULL;
}
