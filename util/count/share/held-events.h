/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perf events to which a BPF map also has references. If a map has the last reference to an event,
 * the kernel releases the event's hardware counter only after several RCU grace periods (20 to 50
 * ms). Until then, there may be no free counter for other events. A session that keeps its own fd
 * of the event can disable the event, which releases the counter immediately.
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
 * Adds a duplicate of @fd to @held if there is room. Without a duplicate, the event's counter is
 * only released later.
 */
void held_events__add(struct held_events *held, int fd);
/* Moves as many events from @from to @to as there is room for, and closes the remaining events. */
void held_events__move(struct held_events *to, struct held_events *from);
/* Makes all held events release their hardware counters. These events never count again. */
void held_events__disable(const struct held_events *held);
/*
 * Makes all events of a leader (a BPF program that reads shared counters) release their hardware
 * counters. Returns after the release. Call this function when no session uses the leader any more.
 * The events are in the map @map_fd, at index row × @nr_cpus + CPU id. @rows has a bit for each row
 * whose events occupy counters. @held contains the events of which this session has fds. If other
 * sessions have opened some of the events, waits more than 20 ms, until the kernel has released the
 * counters of these events.
 */
void held_events__release(const struct held_events *held, int map_fd, uint64_t rows,
			  uint32_t nr_cpus);
/* Closes all fds in @held. */
void held_events__close(struct held_events *held);

#endif
