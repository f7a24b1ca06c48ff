/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaders of other sessions and tools. A pinned map has the id of a leader's link at a
 * tracepoint, which keeps nothing alive and may be anything: anybody with CAP_SYS_ADMIN can write
 * it, and ids of dead links are used again after 2^31 others. Whoever opens a leader therefore
 * checks the link, its program, and the user who loaded the program.
 */
#ifndef PSTAT_COUNT_SHARED_LINK_H
#define PSTAT_COUNT_SHARED_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* What a link has to be. */
struct shared_link_kind {
	const char *what; /* the leader, for messages */
	const char *tracepoint, *prog;
	uint32_t prog_type;
};

#define SHARED_LINK_MAPS 32

struct shared_link {
	int fd, prog_fd; /* -1: not open */
	uint32_t nr_maps, map_ids[SHARED_LINK_MAPS];
};

/*
 * Opens the link @id and its program. Returns 0; -ENOENT if the link is gone;
 * TRUSTED_PATH_REFUSED if neither root nor the effective user has loaded the program; -EINVAL if
 * the link is not of @kind; or another -errno. The reason is in @why, except for -ENOENT. On
 * error nothing stays open.
 */
int shared_link__open(uint32_t id, const struct shared_link_kind *kind, struct shared_link *link,
		      struct strbuf *why);
/* Adds to @why that the link is not of @kind because of @reason. Returns -EINVAL. */
int shared_link__refuse(uint32_t id, const struct shared_link_kind *kind, const char *reason,
			struct strbuf *why);

/* The id of the link that is open as @fd, or 0. */
uint32_t shared_link__id(int fd);
/*
 * True if the link @id no longer exists. False also if the kernel does not tell whether it
 * exists.
 */
bool shared_link__is_gone(uint32_t id);

/* ---- its maps ---- */

/* A map that a leader may have, and where its fd is kept. */
struct shared_map {
	const char *name; /* NULL: known by @id */
	uint32_t id;
	uint32_t type;	   /* enum bpf_map_type */
	size_t value_size; /* of its only element, whose key is 0; 0: it has other elements */
	int *fd;	   /* -1 until one is found */
};

/* Opens the maps of the link's program that are among @maps. */
void shared_link__open_maps(const struct shared_link *link, const struct shared_map *maps,
			    size_t nr);
/* Does the map have @nr values of this size? */
bool shared_map__has_values(int fd, size_t value_size, uint64_t nr);

#endif
