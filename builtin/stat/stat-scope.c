// SPDX-License-Identifier: GPL-2.0-only
/* What only counting CPUs has, or counting tasks. */
#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"

static int refuse_pair(const char *one, const char *other, const char *why)
{
	pr_err("%s and %s do not go together: %s", one, other, why);
	return EXIT_CONFLICT;
}

/* The kernel counts a task wherever it runs; BPF reads its counts CPU by CPU. */
static int settle_cpu_modes(const struct raw_options *raw)
{
	enum given mode = given__cpu_mode(raw);

	if (mode == GIVEN_NR || !stat_config__per_task(&raw->to->count) || raw->all_bpf)
		return 0;
	if (raw->pids || raw->tids)
		return refuse_pair(
			raw->pids ? "-p" : "-t", given__name(raw, mode),
			"a task is counted wherever it runs, and no CPU is told apart, unless all events are "
			"counted through BPF (--bpf-counters)");
	return refuse_pair(
		given__name(raw, mode), "COMMAND alone",
		"it is for counting CPUs: give -a or -C too, or count all events through BPF (--bpf-counters)");
}

int settle_scope(const struct raw_options *raw)
{
	static const enum given cpus_only[] = { GIVEN_CGROUP, GIVEN_FOR_EACH_CGROUP };
	const struct stat_config *cfg = &raw->to->count;
	int code = settle_cpu_modes(raw);

	if (code)
		return code;
	for (size_t i = 0; i < sizeof(cpus_only) / sizeof(cpus_only[0]); i++)
		if (raw_options__has(raw, cpus_only[i]) && stat_config__per_task(cfg))
			return refuse_pair(given__name(raw, cpus_only[i]), "COMMAND alone",
					   "it is for counting CPUs: give -a or -C too");
	if (raw_options__has(raw, GIVEN_PER_THREAD) && stat_config__counts_command(cfg))
		return refuse_pair("--per-thread", "COMMAND alone",
				   "the threads to tell apart are those of now: give -p, -t or -a too");
	return 0;
}
