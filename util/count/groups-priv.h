/* SPDX-License-Identifier: GPL-2.0-only */
/* The groups of a session; private to groups.c and groups-new.c. */
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
 * ---- online-cpus.c: the online CPUs, as the groups know them ----
 *
 * The watch can know of a change that the groups have not yet followed.
 */

/* Owns all three members. All zero if nothing is counted by CPU. */
struct online_cpus {
	struct cpu_watch *watch;
	struct cpumap *now;
	struct cpumap *seen; /* CPUs that were online at any time since the last start */
};

/*
 * Makes the watch and records which CPUs are online. If the watch exists, checks it again, and sets
 * *@changed if a CPU went offline or came online since the last check.
 */
int online_cpus__start(struct online_cpus *cpus, bool *changed, struct strbuf *why);
/* Stores that the groups now count on the CPUs of @online. Returns 0 or -ENOMEM. */
int online_cpus__set(struct online_cpus *cpus, const struct cpumap *online);
/* With -v, prints which CPUs of @counted went offline or came online. @online is the new set. */
void online_cpus__log_changes(const struct online_cpus *cpus, const struct cpumap *counted,
			      const struct cpumap *online);
void online_cpus__free(struct online_cpus *cpus);

/* ---- groups.c, groups-new.c ---- */

#define NR_BACKENDS 8

struct groups {
	const struct evlist *evlist;
	const struct stat_config *cfg;
	/* CPUs that have rows in per-CPU counts: those of -C, otherwise all possible CPUs */
	struct cpumap *cpus;
	struct cpumap *no_cpus; /* {-1}: the row of tool events, and of tasks that perf fds count */
	struct backend_group groups[NR_BACKENDS];
	/* all zero until the first open, and if nothing is counted by CPU */
	struct online_cpus online;
	struct strbuf *why, *perf_words; /* owned by the session */
	const struct gate *gate;	 /* NULL without --start or --stop, and while closed */
	struct measurement measurement;	 /* points to the members below */
	struct counts **events;
	struct run_counts runs;
	struct subjects subjects;
	struct hist_rows hist;
	struct outlier_sums outliers;
};

/* Returns whether the group has events or counts runs (-b, --scope). If not, it is not used. */
bool groups__is_used(const struct backend_group *group);

#endif
