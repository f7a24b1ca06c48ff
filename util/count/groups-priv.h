/* SPDX-License-Identifier: GPL-2.0-only */
/* The groups of a session; private to groups.c, groups-new.c and online-cpus.c. */
#ifndef PSTAT_COUNT_GROUPS_PRIV_H
#define PSTAT_COUNT_GROUPS_PRIV_H

#include <stdbool.h>

#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/hist-counts.h"
#include "util/count/measurement.h"
#include "util/count/outliers.h"
#include "util/count/subjects.h"

struct cpu_watch;
struct cpumap;
struct gate;
struct strbuf;

/*
 * ---- online-cpus.c: the CPUs on which the groups count ----
 *
 * online_cpus.now is the set of online CPUs that the groups use. If cpu_watch__check() has found a
 * change that the groups have not applied yet, online_cpus.now is the set before this change.
 */

/* The struct owns its members. */
struct online_cpus {
	struct cpu_watch *watch;
	struct cpumap *now;
	struct cpumap *seen; /* CPUs that have been online at any time since online_cpus__start() */
};

/*
 * Makes cpus->watch if it does not exist. If it exists, calls cpu_watch__check(), and sets
 * *@changed to whether a CPU has gone offline or come online since the previous check. In both
 * cases, sets cpus->now and cpus->seen to the CPUs that are online. Returns 0, or -errno with the
 * reason in @why.
 */
int online_cpus__start(struct online_cpus *cpus, bool *changed, struct strbuf *why);
/* Sets cpus->now to a copy of @online, and adds these CPUs to cpus->seen. Returns 0 or -ENOMEM. */
int online_cpus__set(struct online_cpus *cpus, const struct cpumap *online);
/*
 * With -v, prints which CPUs of @counted went offline or came online. @online is the new set of
 * online CPUs, and cpus->now must still be the previous set.
 */
void online_cpus__log_changes(const struct online_cpus *cpus, const struct cpumap *counted,
			      const struct cpumap *online);
void online_cpus__free(struct online_cpus *cpus);

/* ---- groups.c, groups-new.c ---- */

#define NR_BACKENDS 8

struct groups {
	const struct evlist *evlist;
	const struct stat_config *cfg;
	/* the rows of per-CPU counts: the CPUs of -C, or all possible CPUs */
	struct cpumap *cpus;
	struct cpumap *no_cpus; /* {-1}: the single row of counts that are not per CPU */
	struct backend_group groups[NR_BACKENDS];
	/* all members are NULL before the first open, or if no group needs the online CPUs */
	struct online_cpus online;
	struct strbuf *why, *perf_words; /* owned by the session */
	/* NULL while the groups are closed, or if there is neither --start nor --stop */
	const struct gate *gate;
	struct measurement measurement; /* points to most of the members below */
	struct counts **events;
	struct run_counts runs;
	struct subjects subjects;
	struct hist_rows hist;
	struct outlier_sums outliers;
};

/*
 * Returns whether the session uses the group. It does if `is_out` is not set, and the group counts
 * runs (-b, --scope) or has events.
 */
bool groups__is_used(const struct backend_group *group);

#endif
