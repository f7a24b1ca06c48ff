/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a session that no leader counts yet, as a group of their own to open and make a leader of. A leader in whose place
 * another one comes leaves its other events too: those that the pinned map shows of it.
 */
#ifndef PSTAT_COUNT_BPERF_REST_H
#define PSTAT_COUNT_BPERF_REST_H

#include <stdint.h>

#include "util/count/backend.h"
#include "util/count/bperf/bperf-events.h"

struct attr_map;
struct cpumap;
struct evlist;

struct bperf_rest {
	struct backend_group group; /* what is opened */
	int *numbers;		    /* by its events: which of the session's group it is, -1: one that was adopted */
	struct evlist *adopted;
	struct bperf_events open;
};

/* The events of @group that have no unit, to be opened on @cpus. Call bperf_rest__free() in either case. */
int bperf_rest__pick(struct bperf_rest *rest, struct backend_group *group, const struct cpumap *cpus);
/* And those that @map has of the leader of @link_id. */
int bperf_rest__adopt(struct bperf_rest *rest, const struct attr_map *map, uint32_t link_id);
/* Opens them, to be shared through @map (NULL: with nobody). Returns 0 also if there are none. */
int bperf_rest__open(struct bperf_rest *rest, const struct attr_map *map);
void bperf_rest__free(struct bperf_rest *rest);

#endif
