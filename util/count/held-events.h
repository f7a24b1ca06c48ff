/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perf events of which BPF keeps references too. When the last reference goes with a BPF map, the kernel takes the event off its counter
 * some 20 to 50 ms later (grace periods), and whatever is counted meanwhile may find no counter. A descriptor is what it takes to do that
 * at once.
 */
#ifndef PSTAT_COUNT_HELD_EVENTS_H
#define PSTAT_COUNT_HELD_EVENTS_H

/* Zeroed it holds nothing. */
struct held_events {
	int nr;
	int *fds;
};

/* Keeps a copy of @fd, where there is room for it: what is not held goes off its counter later. */
void held_events__add(struct held_events *held, int fd);
/* Takes the events off their counters. They count no more, for anybody. */
void held_events__disable(const struct held_events *held);
/* Closes the copies. */
void held_events__close(struct held_events *held);

#endif
