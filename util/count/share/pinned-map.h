/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps that are pinned in a BPF file system. Through these maps, sessions (invocations of pstat)
 * find the leaders of other sessions. A leader consists of one or more BPF programs that read
 * shared counters. The maps refer to leaders only by the ids of BPF objects. An id does not keep
 * its object alive, and cannot be trusted (see shared-link.h).
 */
#ifndef PSTAT_COUNT_PINNED_MAP_H
#define PSTAT_COUNT_PINNED_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/share/share-lock.h"

struct strbuf;

#define PINNED_KEY_MAX 4096
#define PINNED_VALUE_MAX 8

/* A kind of hash map: how pstat makes such a map, and which existing maps it accepts. */
struct pinned_map_kind {
	const char *name; /* the name of the BPF map */
	/*
	 * for messages: what kind of map this is, and what the user should do if another object is
	 * pinned at the map's path
	 */
	const char *what;
	uint32_t key_size, value_size, entries;
	/* the accepted key sizes: key_min, key_min + 8 and so on, up to key_max bytes */
	uint32_t key_min, key_max;
	bool locked_by_perf; /* perf locks the map with flock(2) */
	/*
	 * Returns the id of a BPF link of the leader in the entry (@key, @value). If this link no
	 * longer exists, the leader does not exist either.
	 */
	uint32_t (*link_of)(const void *key, const void *value);
	/*
	 * Logs that pstat cannot find out whether the link @link_id still exists, because of the
	 * error @err (-errno). May be NULL.
	 */
	void (*report_unknown)(uint32_t link_id, int err);
};

struct pinned_map {
	const struct pinned_map_kind *kind;
	int fd;		   /* -1: not open */
	uint32_t key_size; /* chosen by the tool that made the map */
	struct share_lock lock;
};

#define PINNED_MAP_INIT(of) ((struct pinned_map){ .kind = (of), .fd = -1, .lock = SHARE_LOCK_NONE })

/*
 * Opens the map that is pinned at @path. If no map is pinned at @path, makes a map and pins it
 * there. Mounts a bpffs at /sys/fs/bpf if @path is in this directory and no bpffs is mounted there.
 * If a user other than root and the effective user could have pinned the map, refuses it and
 * returns TRUSTED_PATH_REFUSED. Otherwise, returns 0 or -errno. On error, stores the reason in
 * @why.
 */
int pinned_map__open(struct pinned_map *map, const char *path, struct strbuf *why);
/* Closes the map, and releases the locks that pinned_map__lock() took, if they are still held. */
void pinned_map__close(struct pinned_map *map);

/*
 * Takes the locks that sessions hold while they make leaders: the lock that share_lock__take()
 * takes, and perf's lock on the map if kind->locked_by_perf is set. Waits at most 0.1 s for perf's
 * lock. Returns even if a lock could not be taken, so the caller must not rely on the locks. The
 * map must be open if kind->locked_by_perf is set.
 */
void pinned_map__lock(struct pinned_map *map);
void pinned_map__unlock(struct pinned_map *map);

/* The state of a walk over all entries of a map. Set `nr` to 0 before the walk. */
struct pinned_walk {
	int nr, err;
	_Alignas(8) char key[PINNED_KEY_MAX];
	_Alignas(8) char value[PINNED_VALUE_MAX];
	_Alignas(8) char next[PINNED_KEY_MAX];
};

/*
 * Moves to the next entry, and stores its key and value in @walk. The caller may then delete the
 * entry. Returns 0; -ENOENT if there are no more entries; or another -errno.
 */
int pinned_map__next(const struct pinned_map *map, struct pinned_walk *walk);
/*
 * If the leader of the entry in @walk no longer exists, deletes this entry and returns true.
 * Otherwise, returns false.
 */
bool pinned_map__drop_dead(const struct pinned_map *map, const struct pinned_walk *walk);

/*
 * Adds or replaces an entry. If the map is full, first deletes entries whose leader no longer
 * exists. Returns 0; -E2BIG if the map is still full; or another -errno.
 */
int pinned_map__publish(const struct pinned_map *map, const void *key, const void *value);

#endif
