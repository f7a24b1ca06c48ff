/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perf events that are stored in a BPF map, and for which this session has also kept fds. If the
 * map has the last reference to an event, the kernel releases the event's hardware counter only 20
 * to 50 ms after this reference is dropped, because it first waits for an RCU grace period. Until
 * the release, other events may find no free counter. A session with an fd of the event can disable
 * the event, which releases the counter immediately.
 */
#ifndef PSTAT_COUNT_HELD_EVENTS_H
#define PSTAT_COUNT_HELD_EVENTS_H

#include <stdint.h>

/* A zero-initialized struct holds no events. */
struct held_events {
	int nr;
	int *fds;
};

/*
 * Adds a duplicate of @fd to @held if there is room. Without a duplicate, held_events__disable()
 * cannot release the event's counter.
 */
void held_events__add(struct held_events *held, int fd);
/* Moves as many events from @from to @to as @to has room for, and closes the remaining events. */
void held_events__move(struct held_events *to, struct held_events *from);
/*
 * Disables all held events, so that they release their hardware counters immediately. Call this
 * function when no session needs the events any more.
 */
void held_events__disable(const struct held_events *held);
/*
 * Makes the perf events of a leader release their hardware counters, and deletes these perf events
 * from the map @map_fd. Returns after the release. Call this function when no session uses the
 * leader any more. The map has one row for each event that the leader reads. A row contains one
 * perf event for each CPU, at index row × @nr_cpus + CPU id. Bit n of @rows must be set if the perf
 * events of row n occupy counters; other rows stay in the map. If @held lacks some of the deleted
 * perf events, for example because other sessions have opened them, waits until the kernel has
 * released their counters, which takes at least 20 ms.
 */
void held_events__release(const struct held_events *held, int map_fd, uint64_t rows,
			  uint32_t nr_cpus);
void held_events__close(struct held_events *held);

#endif
