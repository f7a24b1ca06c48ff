/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps that are pinned in a BPF file system, through which sessions find each other's leaders. They
 * hold ids only, which keep nothing alive, and everything that they say has to be checked: see
 * shared-link.h.
 */
#ifndef PSTAT_COUNT_PINNED_MAP_H
#define PSTAT_COUNT_PINNED_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/share/share-lock.h"

struct strbuf;

#define PINNED_KEY_MAX 4096
#define PINNED_VALUE_MAX 8

/* A hash map: what pstat makes, what it accepts from others, and what differs between maps. */
struct pinned_map_kind {
	const char *name; /* of the BPF map */
	/* for messages: what the map is, and what to do if something else is pinned at its path */
	const char *what;
	uint32_t key_size, value_size, entries;
	/* another tool's keys have one of the sizes from key_min to key_max, in steps of 8 */
	uint32_t key_min, key_max;
	bool locked_by_perf; /* perf takes the flock(2) of the map */
	/* The id of the link at the context switch of an entry's leader. */
	uint32_t (*link_of)(const void *key, const void *value);
	/* Reports that the kernel does not say whether a link exists. NULL: it is not reported. */
	void (*report_unknown)(uint32_t link_id, int err);
};

struct pinned_map {
	const struct pinned_map_kind *kind;
	int fd;		   /* -1: not open */
	uint32_t key_size; /* depends on who made the map */
	struct share_lock lock;
};

#define PINNED_MAP_INIT(of) ((struct pinned_map){ .kind = (of), .fd = -1, .lock = SHARE_LOCK_NONE })

/*
 * Opens the map that is pinned at @path, or makes and pins it. Mounts a bpffs at /sys/fs/bpf if
 * the path is there and none is mounted. Only root and the effective user can have pinned the
 * map. Returns 0; or TRUSTED_PATH_REFUSED or another -errno, with the reason and advice in @why.
 */
int pinned_map__open(struct pinned_map *map, const char *path, struct strbuf *why);
/* Closes the map, and releases the lock if this session has it. */
void pinned_map__close(struct pinned_map *map);

/*
 * Prevents other sessions from making leaders until the lock is released: sessions of pstat
 * reliably, and sessions of perf, if perf uses the map and its lock is free. Waits for other
 * sessions only while they are running, and otherwise at most one second, so if many sessions start
 * at once, each gets its turn. The code that follows must also be correct without the lock. The map
 * need not be open.
 */
void pinned_map__lock(struct pinned_map *map);
void pinned_map__unlock(struct pinned_map *map);

/* An iteration over all entries. `nr` is 0 at first. */
struct pinned_walk {
	int nr, err;
	_Alignas(8) char key[PINNED_KEY_MAX];
	_Alignas(8) char value[PINNED_VALUE_MAX];
	_Alignas(8) char next[PINNED_KEY_MAX];
};

/*
 * Moves to the next entry. Returns 0; -ENOENT after the last one; or another -errno. The caller may
 * then delete the entry.
 */
int pinned_map__next(const struct pinned_map *map, struct pinned_walk *walk);
/* Deletes the entry of @walk if its leader no longer exists. Returns whether it is gone. */
bool pinned_map__drop_dead(const struct pinned_map *map, const struct pinned_walk *walk);

/*
 * Adds an entry, or replaces it. If the map is full, first deletes entries whose leader no longer
 * exists. Returns -E2BIG if there are none, or another -errno.
 */
int pinned_map__publish(const struct pinned_map *map, const void *key, const void *value);

#endif
