/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perf events that make CPUs record branches, so that BPF programs can copy the latest branches. A
 * CPU records branches only while an event that asks for them (PERF_SAMPLE_BRANCH_STACK) is active.
 * Each event that is opened here occupies a hardware counter, and has such a long sample period
 * that it never takes a sample.
 */
#ifndef PSTAT_COUNT_BRANCH_EVENTS_H
#define PSTAT_COUNT_BRANCH_EVENTS_H

#include <stdint.h>

#include "util/count/branches.h"

/* A zero-initialized struct has no open events. */
struct branch_events {
	int nr;
	int *fds;
	struct branch list[BRANCHES_MAX];
};

/*
 * Opens an event on each online CPU, so that all these CPUs record branches. @code selects the
 * branches of user code, kernel code, or both (PERF_SAMPLE_BRANCH_USER, PERF_SAMPLE_BRANCH_KERNEL).
 * Returns 0 or -ENOMEM. On any other error, warns, leaves no event open, and returns 0.
 */
int branch_events__open_all(struct branch_events *events, uint64_t code);
/*
 * Opens an event on the CPU with the id @cpu, which has come online. Does nothing if @events has no
 * open event, for example because branch_events__open_all() failed. Returns 0 or -ENOMEM. On any
 * other error, logs the error and returns 0.
 */
int branch_events__add_cpu(struct branch_events *events, uint64_t code, int cpu);
/*
 * Opens an event for the calling thread, so that CPUs record the branches that the thread executes
 * in the kernel. Returns 0 or -errno, without a warning.
 */
int branch_events__open_own(struct branch_events *events);
void branch_events__close(struct branch_events *events);

/*
 * Decodes the branches that a BPF program has copied into @block at the end of a run. Stores the
 * branches in events->list, in the order of execution. Returns the number of branches, which is 0
 * if no event is open. If the branches cannot be decoded, returns 0, and warns the first time.
 */
int branch_events__decode(struct branch_events *events, const struct branch_block *block);

#endif
