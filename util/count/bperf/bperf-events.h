/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf events of a leader (bperf-leader.h). Each event is opened once per CPU and passed to the
 * leader's BPF program. The program's map then keeps the events open.
 */
#ifndef PSTAT_COUNT_BPERF_EVENTS_H
#define PSTAT_COUNT_BPERF_EVENTS_H

#include <stddef.h>

#include "bpf_skel/bperf.h"

struct pinned_map;
struct backend_group;
struct event_fds;
struct evsel;
struct held_events;

struct bperf_events {
	/* the events to open, and the CPUs on which to open them */
	const struct backend_group *group;
	struct event_fds *fds;
	int nr; /* the number of rows: events that could be opened */
	/* the first nr_shared rows can be shared with other sessions */
	int nr_shared;
	/* [row of the leader]: index of the event in the group */
	int events[BPERF_MAX_EVENTS];
	struct bperf_plan plan[BPERF_MAX_EVENTS]; /* [row of the leader]: how to read the event */
};

/*
 * Returns how to count @evsel if another tool made the leader. Such a leader reads each event
 * together with its enabled and running times. The exception is context switches, which pstat's
 * follower counts itself.
 */
enum bperf_how bperf_events__how_of_other(const struct evsel *evsel);

/*
 * Opens the events of @group on the CPUs of @group, disabled. If an event cannot be opened, marks
 * its counts as unsupported, and gives the event no row. Events that can be shared through @map get
 * the first rows. @map is NULL if no event is shared. Returns 0 or -errno.
 */
int bperf_events__open(struct bperf_events *events, struct backend_group *group,
		       const struct pinned_map *map);
/* Closes the fds. Events in a BPF map stay open. */
void bperf_events__close(struct bperf_events *events);

/*
 * Stores the perf events in the map @map_fd, at row × @nr_cpus + CPU id, and enables the events.
 * Returns 0 or -errno.
 */
int bperf_events__hand_over(struct bperf_events *events, int map_fd, int nr_cpus);

/* Adds the events that occupy a hardware counter to @held. */
void bperf_events__hold(const struct bperf_events *events, struct held_events *held);

#endif
