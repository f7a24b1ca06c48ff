/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command-line options that determine what is counted, and how. Each subcommand of pstat that
 * counts fills a struct stat_config, and must not change it while a session uses it.
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
struct gate_points;
struct outlier_spec;
struct prog_selection;
struct sampling;
struct scope_list;
struct threadmap;

/* The caller of session__new() owns the objects to which the members point. */
struct stat_config {
	/* the target: a command, threads, CPUs, BPF programs or scopes */
	char *const *argv;	   /* the command (NULL-terminated); NULL: none */
	struct threadmap *threads; /* the threads of -p or -t, or all threads; NULL: none */
	bool whole_processes;	   /* `threads` are all threads of the processes of -p */
	/* `threads` are all threads of the system; pstat does not stop when they end */
	bool all_threads;
	struct cpumap *cpus; /* the CPUs of -C; NULL: all CPUs */
	/*
	 * count everything that runs on the CPUs: true, for example, if -a or -C is given (even
	 * together with a command), or if no target is given; false if all_threads is set
	 */
	bool system_wide;
	/* -b: count inside these BPF programs; otherwise NULL */
	const struct prog_selection *progs;
	/* --follow: also count programs that match `progs` and are loaded later */
	bool follow_progs;
	bool per_prog; /* --per-prog */
	/* --scope: count between these points; otherwise NULL */
	const struct scope_list *scopes;
	bool per_scope; /* --per-scope */
	/* --inclusive: the counts of a run of a scope include those of runs inside this run */
	bool inclusive;
	/* --hist: the histogram shows the counts of this event per run; otherwise NULL */
	const struct evsel *hist;
	/* --outliers: which runs are reported one by one; otherwise NULL */
	const struct outlier_spec *outliers;
	bool no_calibrate; /* do not subtract the cost of counting (-b, --scope) */
	/* --start, --stop: count only between these points; otherwise NULL */
	const struct gate_points *points;
	bool in_cgroups; /* -G: some events count only the tasks of a cgroup */
	/*
	 * where cgroups are mounted; if no cgroups are counted, this pointer is NULL, or `dir` in
	 * the struct is NULL
	 */
	const struct cgroup_mount *cgroup_mount;
	/*
	 * --for-each-cgroup: the cgroups to count separately; NULL without this option, or with
	 * --cgroup-follow
	 */
	struct cgroup *const *each_cgroup;
	int nr_each_cgroup;
	/* --cgroup-follow: the argument of --for-each-cgroup; otherwise NULL */
	const char *cgroup_follow;
	int follow_most; /* with cgroup_follow: the maximum number of cgroups; 0: the default */

	/*
	 * counting starts with the command, or at once if there is no command, unless one of the
	 * next two members is set
	 */
	uint64_t delay_ns;   /* -D: counting starts after this time; 0: no delay */
	bool start_disabled; /* -D -1: counting starts at the command "enable" of --control */
	/* --control: where pstat reads commands from while it counts; otherwise NULL */
	const struct control_spec *control;

	/*
	 * intervals and limits; counting can also end for other reasons, for example because the
	 * command or the threads have ended, or because a signal has arrived
	 */
	uint64_t interval_ns;	 /* 0: no intervals */
	uint64_t interval_count; /* counting ends after this number of intervals; 0: no limit */
	uint64_t timeout_ns;	 /* counting ends after this time; 0: no limit */

	/* pstat profile: how events are sampled; otherwise NULL */
	const struct sampling *sampling;

	enum aggr_mode aggr_mode;
	bool inherit; /* also count the children of counted tasks */
	/* as in perf, fail if the leader of a perf group is not supported */
	bool needs_leaders;
	/* pstat export: if events cannot be opened, count the other events */
	bool keeps_going;
	bool reads_lost; /* each reading updates measurement.lost_runs */

	bool bpf_counters; /* --bpf-counters: count with BPF, so that sessions can share counters */
	/*
	 * the path of the pinned BPF map through which sessions share counters; NULL: the default
	 * path
	 */
	const char *attr_map_path;
};

/* Returns whether cgroups are counted separately. */
static inline bool stat_config__for_each_cgroup(const struct stat_config *cfg)
{
	return cfg->each_cgroup || cfg->cgroup_follow;
}

/* Returns whether pstat counts tasks, as opposed to CPUs, BPF programs or scopes. */
static inline bool stat_config__per_task(const struct stat_config *cfg)
{
	return !cfg->system_wide && !cfg->progs && !cfg->scopes;
}

/*
 * Returns whether pstat counts the command. If a command is not counted, it only determines how
 * long pstat counts.
 */
static inline bool stat_config__counts_command(const struct stat_config *cfg)
{
	return stat_config__per_task(cfg) && cfg->argv && !cfg->threads;
}

/*
 * Returns whether the kernel enables the events at the exec of the command. Otherwise, the session
 * enables them.
 */
static inline bool stat_config__starts_at_exec(const struct stat_config *cfg)
{
	return stat_config__counts_command(cfg) && !cfg->delay_ns && !cfg->start_disabled;
}

#endif
