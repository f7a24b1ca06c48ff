// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of which perf takes both and lets one win. Scripts give such pairs, so pstat takes them too, and lets the same
 * one win, whatever their order. perf's target__validate() and opt_aggr_mode_to_aggr_mode() have the rules (Linux 6.12).
 */
#include <stdio.h>

#include "builtin/stat/stat-raw.h"

/* Tasks win over CPUs. The lines are perf's, without "pstat: ", and like perf's they come even with --quiet. */
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

/* The first of these that is given decides which rows there are. */
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
	/* CSV and JSON at once are neither in perf, where a line begins as an object and ends as fields */
	if (to->json)
		to->csv_separator = NULL;
	/* perf neither opens nor makes the file that nothing is written to */
	if (to->quiet)
		to->output = NULL;
}
