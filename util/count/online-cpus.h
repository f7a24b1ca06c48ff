/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The online CPUs as the groups of events know them. The watch can already know of a change that
 * the groups have not yet followed.
 */
#ifndef PSTAT_COUNT_ONLINE_CPUS_H
#define PSTAT_COUNT_ONLINE_CPUS_H

#include <stdbool.h>

struct cpu_watch;
struct cpumap;
struct strbuf;

/* Owns all three members. If zeroed, nothing is counted by CPU. */
struct online_cpus {
	struct cpu_watch *watch;
	struct cpumap *now;
	struct cpumap *seen; /* CPUs that were online at some time since the last start */
};

/*
 * Makes the watch, or checks it again if it exists, and records which CPUs are online. Sets
 * *@changed if the watch existed and a CPU went or came since its last check.
 */
int online_cpus__start(struct online_cpus *cpus, bool *changed, struct strbuf *why);
/* Records that the groups now count on the CPUs of @online. Returns 0 or -ENOMEM. */
int online_cpus__set(struct online_cpus *cpus, const struct cpumap *online);
/*
 * Prints with -v which CPUs of @counted went offline or came online, given that @online is the new
 * set.
 */
void online_cpus__log_changes(const struct online_cpus *cpus, const struct cpumap *counted,
			      const struct cpumap *online);
void online_cpus__free(struct online_cpus *cpus);

#endif
