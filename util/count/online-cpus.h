/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The online CPUs as the groups of events know them: the watch may already know of a change that the groups have not been told.
 */
#ifndef PSTAT_COUNT_ONLINE_CPUS_H
#define PSTAT_COUNT_ONLINE_CPUS_H

struct cpu_watch;
struct cpumap;

/* Zeroed: nothing is counted by CPU. Owns all three. */
struct online_cpus {
	struct cpu_watch *watch;
	struct cpumap *now;
	struct cpumap *seen; /* that were online at some time since the last start */
};

/* Makes the watch, or looks again, and takes what it says. Returns 0, or -errno after logging the reason. */
int online_cpus__start(struct online_cpus *cpus);
/* From here on the groups know @online. Returns 0 or -ENOMEM without logging. */
int online_cpus__set(struct online_cpus *cpus, const struct cpumap *online);
/* Prints with -v which of the CPUs @counted went or came, if @online is to follow. */
void online_cpus__log_changes(const struct online_cpus *cpus, const struct cpumap *counted,
			      const struct cpumap *online);
void online_cpus__free(struct online_cpus *cpus);

#endif
