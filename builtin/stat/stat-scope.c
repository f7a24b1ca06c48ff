// SPDX-License-Identifier: GPL-2.0-only
/* Checks options that only work when CPUs are counted, or only when tasks are counted. */
#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"

static int refuse_pair(const char *one, const char *other, const char *why)
{
	pr_err("%s and %s cannot be combined: %s", one, other, why);
	return EXIT_CONFLICT;
}

/* Returns the option for rows that separates CPUs, as the user wrote it, or NULL. */
static const struct option_row *cpu_mode(const struct raw_options *raw)
{
	if (!aggr_mode__is_by_cpu(raw->to->count.aggr_mode))
		return NULL;
	for_each_option_row(row)
		if (row->value.kind == OPTION_MODE && raw_options__given(raw, row))
			return row;
	return NULL;
}

/* The kernel counts a task wherever it runs; BPF reads its counts CPU by CPU. */
static int resolve_cpu_modes(const struct raw_options *raw)
{
	const struct option_row *mode = cpu_mode(raw);
	char name[OPTION_NAME_MAX];

	if (!mode || !stat_config__per_task(&raw->to->count) || raw->all_bpf)
		return 0;
	if (raw->to->pid_text || raw->to->tid_text)
		return refuse_pair(raw->to->pid_text ? "-p" : "-t", option_row__format(mode, name),
				   "the counts of a task are not kept for each CPU, unless all "
				   "events are counted through BPF (--bpf-counters)");
	return refuse_pair(option_row__format(mode, name), "COMMAND by itself",
			   "give -a or -C too, or count all events through BPF (--bpf-counters)");
}

int resolve_scope(struct raw_options *raw)
{
	struct stat_config *cfg = &raw->to->count;
	const char *cgroups = raw_options__has_word(raw, WORD_CGROUP) ? "-G" :
			      raw->for_each_cgroup		      ? "--for-each-cgroup" :
									NULL;
	int code = resolve_cpu_modes(raw);

	if (code)
		return code;
	/*
	 * with -r, perf prints the error in the first run and counts the other events in all runs
	 */
	cfg->needs_leaders = !cfg->bpf_counters && raw->to->runs == 1;
	if (cgroups && stat_config__per_task(cfg))
		return refuse_pair(cgroups, "COMMAND by itself", "give -a or -C too");
	if (cfg->aggr_mode == AGGR_THREAD && stat_config__counts_command(cfg))
		return refuse_pair("--per-thread", "COMMAND by itself",
				   "the rows are for threads that exist at the start: give -p, "
				   "-t or -a too");
	return 0;
}
