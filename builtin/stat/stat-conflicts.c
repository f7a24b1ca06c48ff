// SPDX-License-Identifier: GPL-2.0-only
/*
 * What goes with what: two tables, which pstat-stat(1) shows under WHAT GOES WITH WHAT (a test
 * compares them cell by cell). perf refuses most of these pairs, too. pstat accepts the pairs that
 * perf accepts: see stat-overrides.c.
 */
#include <stddef.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"

static const char *const names[GIVEN_NR] = {
	[GIVEN_EVENT] = "-e",
	[GIVEN_NULL] = "-n",
	[GIVEN_ALL_USER] = "--all-user",
	[GIVEN_ALL_KERNEL] = "--all-kernel",
	[GIVEN_PROG] = "-b",
	[GIVEN_HIST] = "--hist",
	[GIVEN_OUTLIERS] = "--outliers",
	[GIVEN_PACKET] = "--packet",
	[GIVEN_OUTLIER_RATE] = "--outlier-rate",
	[GIVEN_NO_CALIBRATE] = "--no-calibrate",
	[GIVEN_PID] = "-p",
	[GIVEN_TID] = "-t",
	[GIVEN_ALL_CPUS] = "-a",
	[GIVEN_CPU] = "-C",
	[GIVEN_CGROUP] = "-G",
	[GIVEN_FOR_EACH_CGROUP] = "--for-each-cgroup",
	[GIVEN_BPF_COUNTERS] = "--bpf-counters",
	[GIVEN_TOP] = "--top",
	[GIVEN_CGROUP_FOLLOW] = "--cgroup-follow",
	[GIVEN_PER_THREAD] = "--per-thread",
	[GIVEN_NO_AGGR] = "-A",
	[GIVEN_PER_SOCKET] = "--per-socket",
	[GIVEN_PER_DIE] = "--per-die",
	[GIVEN_PER_CLUSTER] = "--per-cluster",
	[GIVEN_PER_CACHE] = "--per-cache",
	[GIVEN_PER_CORE] = "--per-core",
	[GIVEN_PER_NODE] = "--per-node",
	[GIVEN_PER_PROG] = "--per-prog",
	[GIVEN_FOLLOW] = "--follow",
	[GIVEN_REPEAT] = "-r",
	[GIVEN_TABLE] = "--table",
	[GIVEN_INTERVAL] = "-I",
	[GIVEN_INTERVAL_COUNT] = "--interval-count",
	[GIVEN_INTERVAL_CLEAR] = "--interval-clear",
	[GIVEN_SUMMARY] = "--summary",
	[GIVEN_CSV] = "-x",
	[GIVEN_JSON] = "-j",
	[GIVEN_BIG_NUM] = "-B",
	[GIVEN_OUTPUT] = "-o",
	[GIVEN_LOG_FD] = "--log-fd",
	[GIVEN_QUIET] = "--quiet",
	[GIVEN_METRICS] = "-M",
	[GIVEN_METRIC_ONLY] = "--metric-only",
	[GIVEN_METRICS_FILE] = "--metrics-file",
};

#define BIT(option) (1ULL << GIVEN_##option)
#define CPU_MODES                                                                                            \
	(BIT(NO_AGGR) | BIT(PER_SOCKET) | BIT(PER_DIE) | BIT(PER_CLUSTER) | BIT(PER_CACHE) | BIT(PER_CORE) | \
	 BIT(PER_NODE))

/* The first is refused with each of the others. */
static const struct conflict {
	enum given one;
	uint64_t others;
	const char *why;
} conflicts[] = {
	{ GIVEN_CGROUP, BIT(PID) | BIT(TID), "count the tasks of a control group or those of a list" },
	{ GIVEN_CGROUP, BIT(FOR_EACH_CGROUP),
	  "-G gives each event one control group, the other each event all of them" },
	{ GIVEN_FOR_EACH_CGROUP, BIT(PID) | BIT(TID), "count the tasks of control groups or those of a list" },
	{ GIVEN_BPF_COUNTERS, BIT(CGROUP),
	  "counters that BPF shares are not told apart by control group: give --for-each-cgroup" },
	{ GIVEN_CGROUP_FOLLOW, BIT(PROG), "it needs --bpf-counters, which -b overrides" },
	{ GIVEN_CGROUP_FOLLOW, BIT(REPEAT), "groups that come and go are not the same in each run, and have no mean" },
	{ GIVEN_PER_THREAD, BIT(PROG) | BIT(CPU) | BIT(CGROUP) | BIT(FOR_EACH_CGROUP),
	  "threads are counted by themselves, on whichever CPU they run" },
	{ GIVEN_ALL_USER, BIT(ALL_KERNEL), "leave both out to count both" },
	{ GIVEN_NULL, BIT(HIST) | BIT(OUTLIERS) | BIT(PER_PROG) | BIT(FOLLOW), "-n counts no events" },
	{ GIVEN_HIST, BIT(METRIC_ONLY), "--metric-only shows no counts, and so no distribution of them" },
	{ GIVEN_OUTLIERS, BIT(INTERVAL_CLEAR), "what was streamed would be cleared with the screen" },
	{ GIVEN_OUTLIERS, BIT(QUIET), "--quiet writes nothing" },
	{ GIVEN_BIG_NUM, BIT(CSV), "figures for programs are not grouped" },
	{ GIVEN_INTERVAL_CLEAR, BIT(OUTPUT), "it clears the screen of a terminal" },
	{ GIVEN_OUTPUT, BIT(LOG_FD), "choose one place to write to" },
};

/* The first needs one of the others. */
static const struct need {
	enum given one;
	uint64_t others;
	const char *what; /* "…: give …" */
} needs[] = {
	{ GIVEN_INTERVAL_COUNT, BIT(INTERVAL), "--interval-count counts the intervals of -I: give -I too" },
	{ GIVEN_PER_PROG, BIT(PROG), "--per-prog tells the programs of -b apart: give -b too" },
	{ GIVEN_FOLLOW, BIT(PROG), "--follow looks for programs that -b means: give -b too" },
	{ GIVEN_TABLE, BIT(REPEAT), "--table lists the runs of -r: give -r too" },
	{ GIVEN_TOP, BIT(FOR_EACH_CGROUP),
	  "--top chooses among the control groups of --for-each-cgroup: give that too" },
	{ GIVEN_CGROUP_FOLLOW, BIT(FOR_EACH_CGROUP),
	  "--cgroup-follow is about the control groups of --for-each-cgroup: give that too" },
	{ GIVEN_CGROUP_FOLLOW, BIT(BPF_COUNTERS), "--cgroup-follow is for counting in BPF: give --bpf-counters too" },
	{ GIVEN_HIST, BIT(PROG), "--hist shows how the runs of BPF programs differ: give -b too" },
	{ GIVEN_OUTLIERS, BIT(PROG), "--outliers shows single runs of BPF programs: give -b too" },
	{ GIVEN_PACKET, BIT(OUTLIERS), "--packet is about the runs of --outliers: give that too" },
	{ GIVEN_OUTLIER_RATE, BIT(OUTLIERS), "--outlier-rate is about the runs of --outliers: give that too" },
	{ GIVEN_NO_CALIBRATE, BIT(PROG), "--no-calibrate is about what counting BPF programs costs: give -b too" },
};

static enum given first_of(uint64_t options)
{
	return options ? (enum given)__builtin_ctzll(options) : GIVEN_NR;
}

const char *given__name(const struct raw_options *raw, enum given option)
{
	return option == GIVEN_NO_AGGR && raw->no_merge ? "--no-merge" : names[option];
}

enum given given__cpu_mode(const struct raw_options *raw)
{
	return first_of(raw->given & CPU_MODES);
}

int settle_conflicts(const struct raw_options *raw)
{
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++) {
		const struct conflict *c = &conflicts[i];

		if (raw_options__has(raw, c->one) && (raw->given & c->others)) {
			pr_err("%s and %s do not go together: %s", given__name(raw, c->one),
			       given__name(raw, first_of(raw->given & c->others)), c->why);
			return EXIT_CONFLICT;
		}
	}
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (raw_options__has(raw, needs[i].one) && !(raw->given & needs[i].others)) {
			pr_err("%s", needs[i].what);
			return EXIT_CONFLICT;
		}
	}
	return 0;
}
