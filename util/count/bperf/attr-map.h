/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned map through which counters are shared, with pstat and with perf (5.13 and later): from an event's attr as it was
 * parsed to the leader that counts it. It holds ids only, which keep nothing alive: what an entry says is to be checked.
 */
#ifndef PSTAT_COUNT_ATTR_MAP_H
#define PSTAT_COUNT_ATTR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "perf-sys.h"

struct attr_map;
struct evsel;
union perf_attr;
struct strbuf;

#define ATTR_MAP_PATH "/sys/fs/bpf/perf_attr_map"

/* The map's value; its layout is the ABI. */
struct attr_map_entry {
	uint32_t link_id;     /* of the leader's attachment */
	uint32_t diff_map_id; /* of its map with this event's last difference */
};

/*
 * Opens the map pinned at @path, or makes and pins it; mounts a bpffs at /sys/fs/bpf if it is needed there.
 * 0 and *@map, or -errno with the reason and what to do in @why: nothing can be shared then.
 */
int attr_map__open(const char *path, struct attr_map **map, struct strbuf *why);
void attr_map__close(struct attr_map *map);

/*
 * Keeps other sessions from making leaders meanwhile: pstat's for as long as they play fair, and perf's if its lock is to be
 * had. Nobody is waited for longer than a second but sessions that are at work; when many begin at once each has its turn. What follows must
 * be right also without.
 */
void attr_map__lock(struct attr_map *map);
void attr_map__unlock(struct attr_map *map);

/* Does the map's key have room for all that @evsel is? One that does not is counted without sharing. */
bool attr_map__takes(const struct attr_map *map, const struct evsel *evsel);

/*
 * The key of an event, padded to PERF_ATTR_SIZE bytes so that it does not depend on the key size of the map. A leader
 * publishes the keys of its events in this form.
 */
struct attr_key {
	unsigned char bytes[PERF_ATTR_SIZE];
};

struct attr_key attr_map__key_of(const struct evsel *evsel);

/*
 * Looks for the leader that counts @evsel. An exclude_guest bit that the user did not ask for makes no difference.
 * Returns 0, with the entry in *@entry and the key under which it was found in *@key, or -ENOENT. An entry whose leader is
 * gone counts as none.
 */
int attr_map__find(const struct attr_map *map, const struct evsel *evsel, struct attr_map_entry *entry,
		   struct attr_key *key);

/* The attrs of all events that the map has of the leader of @link_id, at most @max of them. Returns how many. */
int attr_map__attrs_of(const struct attr_map *map, uint32_t link_id, union perf_attr *attrs, int max);

/*
 * Puts @evsel's leader into the map, in place of one that is there. A full map is first rid of entries whose leader is gone; -E2BIG when
 * there are none, or another -errno.
 */
int attr_map__publish(struct attr_map *map, const struct evsel *evsel, const struct attr_map_entry *entry);

#endif
