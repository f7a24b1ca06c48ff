// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pairs of options that perf accepts, but of which it ignores one. Scripts use such pairs, so pstat
 * accepts them and ignores the same option, whatever the order. The rules are in perf's
 * target__validate() and opt_aggr_mode_to_aggr_mode() (Linux 6.12).
 */
#include <stdio.h>

#include "builtin/stat/stat-raw.h"

/*
 * Tasks override CPUs. Prints perf's lines, without "pstat: " and even with --quiet, as perf does.
 */
static void settle_tasks_or_cpus(struct raw_options *raw)
{
	const char *line = NULL;

	if (raw->pids) {
		raw->tids = NULL;
		raw_options__drop(raw, GIVEN_TID);
	}
	if (!raw->pids && !raw->tids)
		return;
	if (raw->to->all_cpus)
		line = "PID/TID switch overriding SYSTEM";
	if (raw->cpus)
		line = "PID/TID switch overriding CPU";
	if (line)
		fprintf(stderr, "%s\n", line);
	raw->cpus = NULL;
	raw->to->all_cpus = false;
	raw_options__drop(raw, GIVEN_CPU);
	raw_options__drop(raw, GIVEN_ALL_CPUS);
}

/* The first of these options that is given chooses the rows; the others are ignored. */
static void settle_mode(struct raw_options *raw)
{
	static const struct {
		enum given given;
		enum aggr_mode mode;
	} modes[] = {
		{ GIVEN_NO_AGGR, AGGR_NONE },	   { GIVEN_PER_THREAD, AGGR_THREAD },	{ GIVEN_PER_CORE, AGGR_CORE },
		{ GIVEN_PER_CACHE, AGGR_CACHE },   { GIVEN_PER_CLUSTER, AGGR_CLUSTER }, { GIVEN_PER_DIE, AGGR_DIE },
		{ GIVEN_PER_SOCKET, AGGR_SOCKET }, { GIVEN_PER_NODE, AGGR_NODE },
	};
	bool found = false;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!raw_options__has(raw, modes[i].given))
			continue;
		if (found)
			raw_options__drop(raw, modes[i].given);
		else
			raw->to->count.aggr_mode = modes[i].mode;
		found = true;
	}
}

void settle_overrides(struct raw_options *raw)
{
	struct stat_options *to = raw->to;

	settle_tasks_or_cpus(raw);
	settle_mode(raw);
	if (raw->progs) {
		to->count.bpf_counters = false;
		raw_options__drop(raw, GIVEN_BPF_COUNTERS);
	}
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
