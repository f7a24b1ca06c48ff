/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned map through which pstat sessions, and perf 5.13 and later, share counters. It maps an
 * event's attr, as parsed, to the leader that counts the event. The map contains only IDs, and an
 * ID does not keep its object alive. So callers must check the object that an entry refers to.
 */
#ifndef PSTAT_COUNT_ATTR_MAP_H
#define PSTAT_COUNT_ATTR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "perf-sys.h"
#include "util/count/share/pinned-map.h"

struct evsel;
union perf_attr;

#define ATTR_MAP_PATH "/sys/fs/bpf/perf_attr_map"

/* A value of the map. Its layout is an ABI. */
struct attr_map_entry {
	uint32_t link_id;     /* id of the link that attaches the leader */
	uint32_t diff_map_id; /* id of the leader's map with the last difference of this event */
};

extern const struct pinned_map_kind attr_map_kind;

/*
 * Is the key of the map large enough for the attr of @evsel? If not, the counter of @evsel is not
 * shared.
 */
bool attr_map__takes(const struct pinned_map *map, const struct evsel *evsel);

/*
 * The key of an event, padded to PERF_ATTR_SIZE bytes, so that it does not depend on the key size
 * of the map. A leader publishes the keys of its events in this format.
 */
struct attr_key {
	unsigned char bytes[PERF_ATTR_SIZE];
};

struct attr_key attr_map__key_of(const struct evsel *evsel);

/*
 * Finds the leader that counts @evsel. Ignores an exclude_guest bit that the user did not ask for.
 * Returns 0, with the entry in *@entry and its key in *@key, or -ENOENT. Ignores entries whose
 * leader no longer exists.
 */
int attr_map__find(const struct pinned_map *map, const struct evsel *evsel,
		   struct attr_map_entry *entry, struct attr_key *key);

/*
 * Stores in @attrs the attrs of up to @max events that the map lists for the leader @link_id.
 * Returns the number of these attrs.
 */
int attr_map__attrs_of(const struct pinned_map *map, uint32_t link_id, union perf_attr *attrs,
		       int max);

/* Adds the leader of @evsel to the map: see pinned_map__publish(). */
int attr_map__publish(const struct pinned_map *map, const struct evsel *evsel,
		      const struct attr_map_entry *entry);

#endif
