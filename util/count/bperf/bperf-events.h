/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf events of a leader (bperf-leader.h), or of a follower without a leader
 * (bperf-follower.h). Each event is opened once per CPU and stored in a BPF map of the leader or
 * follower. The map then keeps the event open.
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
	/*
	 * the number of rows; each event that could be opened has a row, that is, an index in the
	 * BPF program
	 */
	int nr;
	/* the events of the first nr_shared rows can be shared with other sessions */
	int nr_shared;
	/* for each row, the index of the event in `group` */
	int events[BPERF_MAX_EVENTS];
	struct bperf_plan plan[BPERF_MAX_EVENTS]; /* for each row, how to read the event */
};

/*
 * Returns how to count @evsel with a leader that another tool made. Returns BPERF_SWITCHES for
 * context switches, because pstat's follower counts them itself. Returns BPERF_TIMES for other
 * events, because a leader of another tool reads each event together with the event's enabled and
 * running times.
 */
enum bperf_how bperf_events__how_of_other(const struct evsel *evsel);

/*
 * Opens the events of @group on the CPUs of @group. The events are disabled. If an event cannot be
 * opened, marks its counts as unsupported, and gives the event no row. Events that can be shared
 * through @map get the first rows. If @map is NULL, no event is shared. Returns 0, or -errno with
 * the reason in group->why.
 */
int bperf_events__open(struct bperf_events *events, struct backend_group *group,
		       const struct pinned_map *map);
/* Closes the fds. Events that are stored in a BPF map stay open. */
void bperf_events__close(struct bperf_events *events);

/*
 * Stores in the BPF map @map_fd, at index row × @nr_cpus + CPU id, the perf events that the BPF
 * program needs. Enables all perf events. Returns 0, or -errno with the reason in
 * events->group->why.
 */
int bperf_events__hand_over(struct bperf_events *events, int map_fd, int nr_cpus);

/* Adds to @held the events that may occupy a hardware counter. */
void bperf_events__hold(const struct bperf_events *events, struct held_events *held);

#endif
