/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perf events to which BPF also holds references. If the last reference goes away with a BPF map,
 * the kernel releases the event's hardware counter only after some RCU grace periods (20 to 50
 * ms). Until then, other events may find no free counter. A session that keeps a descriptor of
 * its own can release the counter at once.
 */
#ifndef PSTAT_COUNT_HELD_EVENTS_H
#define PSTAT_COUNT_HELD_EVENTS_H

#include <stdint.h>

/* A zeroed struct holds no events. */
struct held_events {
	int nr;
	int *fds;
};

/*
 * Keeps a copy of @fd if there is room for it. An event without a copy releases its counter
 * later.
 */
void held_events__add(struct held_events *held, int fd);
/* Moves all events from @from to @to if there is room for them. */
void held_events__move(struct held_events *to, struct held_events *from);
/* Makes all held events release their hardware counters. From then on they count for nobody. */
void held_events__disable(const struct held_events *held);
/*
 * Makes all events of a leader that nobody uses any more release their hardware counters before
 * it returns: at once those that are held, and after a wait for the kernel those that other
 * sessions have opened. The events are in the map @map_fd, [row × @nr_cpus + CPU id]; @rows has a
 * bit for each row that occupies a counter.
 */
void held_events__release(const struct held_events *held, int map_fd, uint64_t rows,
			  uint32_t nr_cpus);
/* Closes the copies. */
void held_events__close(struct held_events *held);

#endif
