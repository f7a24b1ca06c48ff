/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned BPF map through which sessions of pstat, and of perf since Linux 5.13, share counters.
 * Each entry maps the attr (perf_event_attr) of an event to the leader that reads the event. A
 * leader is a BPF program that reads shared counters (bperf-leader.h). The values are only IDs of
 * BPF objects, and an ID does not keep its object alive. Before using an entry, callers must check
 * that the leader and its maps still exist, and that they match the entry.
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

/* A value of the map. The layout is perf's ABI. */
struct attr_map_entry {
	uint32_t link_id; /* id of the link that attaches the leader */
	/*
	 * id of the diff map in which the leader stores the difference between the last two
	 * readings of this event
	 */
	uint32_t diff_map_id;
};

extern const struct pinned_map_kind attr_map_kind;

/*
 * Returns whether a key of the map can describe @evsel completely. If this function returns false,
 * the counter of @evsel must not be shared.
 */
bool attr_map__takes(const struct pinned_map *map, const struct evsel *evsel);

/*
 * The key that an event has in a map with keys of PERF_ATTR_SIZE bytes. The key size of the pinned
 * map may be different. A leader stores the keys of its shared events in this form
 * (bperf_info.attrs).
 */
struct attr_key {
	unsigned char bytes[PERF_ATTR_SIZE];
};

struct attr_key attr_map__key_of(const struct evsel *evsel);

/*
 * Finds the leader that reads @evsel. If there is such a leader, stores the leader's entry for the
 * event in *@entry and the key of this entry in *@key, and returns 0. Otherwise, returns -ENOENT.
 * Skips an entry whose leader no longer exists. If the map has no usable entry for the event's
 * attr, accepts an entry whose attr differs only in exclude_guest, unless the user has set this bit
 * with the modifier G or H.
 */
int attr_map__find(const struct pinned_map *map, const struct evsel *evsel,
		   struct attr_map_entry *entry, struct attr_key *key);

/*
 * Stores in @attrs the attrs of the events that the map lists for one leader. @link_id is the id of
 * the leader's link. Stores at most @max attrs. Returns the number of stored attrs.
 */
int attr_map__attrs_of(const struct pinned_map *map, uint32_t link_id, union perf_attr *attrs,
		       int max);

/*
 * Adds or replaces the map's entry for @evsel. Returns 0; -E2BIG if the map is full; or another
 * -errno.
 */
int attr_map__publish(const struct pinned_map *map, const struct evsel *evsel,
		      const struct attr_map_entry *entry);

#endif
