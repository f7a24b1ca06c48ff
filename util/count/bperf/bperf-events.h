/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf events of a leader. They are opened once per CPU and handed to its BPF program, which
 * keeps them.
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
	/*
	 * owner of the events; they are opened on its cpus, and its `why` gets the reason of an
	 * error
	 */
	const struct backend_group *group;
	struct event_fds *fds;
	int nr;					  /* number of open events */
	int nr_shared;				  /* the first of them, which others can find */
	int events[BPERF_MAX_EVENTS];		  /* row of the leader → event in the group */
	struct bperf_plan plan[BPERF_MAX_EVENTS]; /* row of the leader → how to read it */
};

/*
 * Returns how a leader of another tool reads @evsel: from a perf event with its times, whatever the
 * event is. Only context switches are counted by its followers.
 */
enum bperf_how bperf_events__how_of_other(const struct evsel *evsel);

/*
 * Opens the events of @group on its CPUs, disabled. An event that the machine does not have is
 * marked as unsupported in its counts, and has no row. The events that can be shared through @map
 * (NULL: none) have the first rows.
 */
int bperf_events__open(struct bperf_events *events, struct backend_group *group,
		       const struct pinned_map *map);
/* Closes the fds. Events that were given to BPF stay open there. */
void bperf_events__close(struct bperf_events *events);

/*
 * Puts the perf events into the map @map_fd, at row × @nr_cpus + CPU id, and enables them. From
 * then on, the map holds them.
 */
int bperf_events__hand_over(struct bperf_events *events, int map_fd, int nr_cpus);

/* Adds to @held the events that occupy a hardware counter. */
void bperf_events__hold(const struct bperf_events *events, struct held_events *held);

#endif
