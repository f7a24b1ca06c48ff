/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The session's events that no leader (bperf-leader.h) reads yet. pstat opens these events and
 * makes a new leader for them or, if counters are not shared, a follower without a leader
 * (bperf-follower.h). If an existing leader cannot have more followers, the new leader replaces it.
 * The new leader then also reads all other events that the pinned map (attr-map.h) lists for the
 * replaced leader. These other events are called adopted events.
 */
#ifndef PSTAT_COUNT_BPERF_REST_H
#define PSTAT_COUNT_BPERF_REST_H

#include <stdint.h>

#include "util/count/backend.h"
#include "util/count/bperf/bperf-events.h"

struct pinned_map;
struct cpumap;
struct evlist;

struct bperf_rest {
	struct backend_group group; /* the events to open */
	/* for each event in `group`, its index in the session's group; -1: an adopted event */
	int *numbers;
	struct evlist *adopted;
	struct bperf_events open;
};

/*
 * Stores in @rest the events of @group that have no unit (bperf-unit.h), except events that pstat
 * has already failed to open. bperf_rest__open() will open the stored events on @cpus. The caller
 * must call bperf_rest__free() even if this function fails. Returns 0 or -ENOMEM.
 */
int bperf_rest__pick(struct bperf_rest *rest, struct backend_group *group,
		     const struct cpumap *cpus);
/*
 * Adds adopted events to @rest: the events that @map lists for the leader of link @link_id, except
 * events that are already in @rest. Returns 0 or -ENOMEM.
 */
int bperf_rest__adopt(struct bperf_rest *rest, const struct pinned_map *map, uint32_t link_id);
/*
 * Opens the events of @rest. The new leader can share them through @map, unless @map is NULL.
 * Returns 0, or -errno with the reason in @rest->group.why.
 */
int bperf_rest__open(struct bperf_rest *rest, const struct pinned_map *map);
void bperf_rest__free(struct bperf_rest *rest);

#endif
