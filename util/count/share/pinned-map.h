/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps that are pinned in a BPF file system, through which sessions find each other's leaders.
 * They hold ids only, which keep nothing alive, and everything that they say has to be checked:
 * see shared-link.h.
 */
#ifndef PSTAT_COUNT_PINNED_MAP_H
#define PSTAT_COUNT_PINNED_MAP_H

#include <stdint.h>

struct strbuf;

/* A hash map: what pstat makes, and what it accepts from others. */
struct pinned_map_kind {
	const char *name; /* of the BPF map */
	const char *
		/*
		 * what the map is, and what to do if something else is pinned at its path; for
		 * messages
		 */
		what;
	uint32_t key_size, value_size, entries;
	uint32_t key_min,
		/*
		 * another tool's keys have one of the sizes from key_min to key_max, in steps of
		 * 8
		 */
		key_max;
};

/*
 * Opens the map that is pinned at @path, or makes and pins it. Mounts a bpffs at /sys/fs/bpf if
 * the path is there and none is mounted. Only root and the effective user can have pinned the
 * map. Returns its fd, and the size of its keys in *@key_size; or TRUSTED_PATH_REFUSED or another
 * -errno, with the reason and advice in @why.
 */
int pinned_map__open(const char *path, const struct pinned_map_kind *kind, uint32_t *key_size,
		     struct strbuf *why);

#endif
