/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perf events that make the CPUs record branches, so that BPF programs can take the latest ones.
 * A CPU records branches only while an event that samples them is active, even if nobody reads its
 * samples. The event occupies a counter that counts cycles.
 */
#ifndef PSTAT_COUNT_BRANCH_EVENTS_H
#define PSTAT_COUNT_BRANCH_EVENTS_H

#include <stdint.h>

#include "util/count/branches.h"

/* A zeroed struct is closed. */
struct branch_events {
	int nr;
	int *fds;
	struct branch list[BRANCHES_MAX];
};

/*
 * Records the branches of all online CPUs. @code: the code whose branches are recorded
 * (PERF_SAMPLE_BRANCH_USER, PERF_SAMPLE_BRANCH_KERNEL). If this fails, pstat warns, and nothing is
 * open. Returns 0 or -ENOMEM.
 */
int branch_events__open_all(struct branch_events *events, uint64_t code);
/* Records the branches of a CPU that came online. Does nothing if no other CPU records branches. */
int branch_events__add_cpu(struct branch_events *events, uint64_t code, int cpu);
/* Records the kernel branches of the calling thread. Returns 0, or -errno without a warning. */
int branch_events__open_own(struct branch_events *events);
void branch_events__close(struct branch_events *events);

/*
 * Decodes the branches of a run into events->list, in the order of execution. Returns their number.
 * If there are none because of an error, pstat warns once.
 */
int branch_events__decode(struct branch_events *events, const struct branch_block *block);

#endif
