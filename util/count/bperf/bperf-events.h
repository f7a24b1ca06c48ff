/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf events of a leader. They are opened once per CPU and passed to its BPF program, which
 * keeps them open.
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
	 * the owner of the events: they are opened on its CPUs, and errors are stored in its `why`
	 */
	const struct backend_group *group;
	struct event_fds *fds;
	int nr; /* number of open events */
	/* the first of these events can be shared with other sessions */
	int nr_shared;
	int events[BPERF_MAX_EVENTS];		  /* row of the leader → event in the group */
	struct bperf_plan plan[BPERF_MAX_EVENTS]; /* row of the leader → how to read it */
};

/*
 * Returns how a leader of another tool reads @evsel: the leader reads a perf event and its times.
 * Only context switches are counted by the leader's followers.
 */
enum bperf_how bperf_events__how_of_other(const struct evsel *evsel);

/*
 * Opens the events of @group on its CPUs, disabled. If the machine does not have an event, marks
 * its counts as unsupported, and gives it no row. The events that can be shared through @map (NULL:
 * none) have the first rows.
 */
int bperf_events__open(struct bperf_events *events, struct backend_group *group,
		       const struct pinned_map *map);
/* Closes the fds. Events that were passed to BPF stay open in its map. */
void bperf_events__close(struct bperf_events *events);

/*
 * Puts the perf events into the map @map_fd, at row × @nr_cpus + CPU id, and enables them. From
 * then on, the map keeps them open.
 */
int bperf_events__hand_over(struct bperf_events *events, int map_fd, int nr_cpus);

/* Adds to @held the events that occupy a hardware counter. */
void bperf_events__hold(const struct bperf_events *events, struct held_events *held);

#endif
