/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the command line asked for, as far as counting goes. Made by builtin/stat/stat-options.c,
 * const from then on.
 */
#ifndef PSTAT_COUNT_STAT_CONFIG_H
#define PSTAT_COUNT_STAT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/cpu/aggr-mode.h"

struct cgroup;
struct cgroup_mount;
struct control_spec;
struct cpumap;
struct evsel;
struct outlier_spec;
struct prog_selection;
struct sampling;
struct threadmap;

/* Strings, maps and lists are owned by whoever made the config. */
struct stat_config {
	/* whom to count: the command's tasks, the threads, or else all that runs on `cpus` */
	char **argv;		   /* the command, NULL-terminated; NULL without one */
	struct threadmap *threads; /* of -p or -t, else NULL */
	bool whole_processes;	   /* `threads` are all of the processes of -p */
	bool all_threads; /* `threads` are all of the system: their end is not that of the count */
	struct cpumap *cpus; /* of -C, else NULL: every CPU that is online */
	/* -a, -C, or no target at all: whatever runs there, also while the command runs */
	bool system_wide;
	const struct prog_selection
		*progs;	   /* of -b: count inside these BPF programs; NULL without */
	bool follow_progs; /* and inside those that are loaded meanwhile and that it means */
	bool per_prog;	   /* each program by itself */
	const struct evsel *
		/* of -b: how its counts of a run are distributed; NULL: that was not asked for */
		hist;
	const struct outlier_spec
		*outliers; /* of -b: which single runs are told of at once; NULL: none */
	bool no_calibrate; /* of -b: what the counting itself costs stays in the counts */
	bool in_cgroups;   /* -G: there are events of which only the tasks of a cgroup count */
	const struct cgroup_mount *cgroup_mount; /* with cgroups */
	/*
	 * --for-each-cgroup: the cgroups that are told apart; NULL without, and with
	 * --cgroup-follow
	 */
	struct cgroup *const *each_cgroup;
	int nr_each_cgroup;
	/* the list of --for-each-cgroup if pstat follows cgroups that come and go, else NULL */
	const char *cgroup_follow;

	/* since when: the start of the command, or … */
	uint64_t delay_ns;   /* so much later; 0: at once */
	bool start_disabled; /* when `control` says so */
	const struct control_spec
		*control; /* where commands come from while it counts; NULL: from nowhere */

	/* for how long: until the command or the threads end, or a signal comes, or … */
	uint64_t interval_ns;	 /* 0: no intervals */
	uint64_t interval_count; /* stop after so many; 0: no limit */
	uint64_t timeout_ns;	 /* 0: no limit */

	const struct sampling *
		/* of pstat profile: events are sampled as it says; NULL: they are counted */
		sampling;

	enum aggr_mode aggr_mode;
	bool inherit; /* children of counted tasks count too */
	/* as in perf, nothing is counted if the leader of a group is not supported */
	bool needs_leaders;

	bool bpf_counters;	   /* all perf events through counters shared by BPF */
	const char *attr_map_path; /* where those are pinned; NULL: the usual place */
};

/* Are the counts told apart by cgroup? */
static inline bool stat_config__for_each_cgroup(const struct stat_config *cfg)
{
	return cfg->each_cgroup || cfg->cgroup_follow;
}

/* Do single tasks get counted? Else CPUs do. */
static inline bool stat_config__per_task(const struct stat_config *cfg)
{
	return !cfg->system_wide && !cfg->progs;
}

/* Is the command what gets counted? Else it only says for how long. */
static inline bool stat_config__counts_command(const struct stat_config *cfg)
{
	return stat_config__per_task(cfg) && cfg->argv && !cfg->threads;
}

/* Does the kernel enable the events at the command's exec? Else the session does it. */
static inline bool stat_config__starts_at_exec(const struct stat_config *cfg)
{
	return stat_config__counts_command(cfg) && !cfg->delay_ns && !cfg->start_disabled;
}

#endif
