/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a session that no leader counts yet. They form a group, which is opened and for
 * which a leader is made. If the new leader replaces another one, the group also contains the other
 * events that the pinned map lists for the old leader.
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
	struct backend_group group; /* these events are opened */
	/* [event]: its index in the session's group; -1: it was adopted from the old leader */
	int *numbers;
	struct evlist *adopted;
	struct bperf_events open;
};

/*
 * Stores in @rest the events of @group that have no unit. They will be opened on @cpus. The caller
 * calls bperf_rest__free() even if this function fails.
 */
int bperf_rest__pick(struct bperf_rest *rest, struct backend_group *group,
		     const struct cpumap *cpus);
/* Adopts the events that @map lists for the leader of @link_id. */
int bperf_rest__adopt(struct bperf_rest *rest, const struct pinned_map *map, uint32_t link_id);
/*
 * Opens the events for sharing through @map (NULL: they are not shared). Returns 0 even if there
 * are none.
 */
int bperf_rest__open(struct bperf_rest *rest, const struct pinned_map *map);
void bperf_rest__free(struct bperf_rest *rest);

#endif
