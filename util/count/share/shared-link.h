/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaders of other sessions and tools. A pinned map contains the id of a leader's link at a
 * tracepoint. The id does not keep the link alive, and cannot be trusted: anybody with
 * CAP_SYS_ADMIN can write it, and ids of dead links are used again after 2^31 others. So the code
 * that opens a leader checks the link, its program, and the user who loaded the program.
 */
#ifndef PSTAT_COUNT_SHARED_LINK_H
#define PSTAT_COUNT_SHARED_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct evsel;
struct strbuf;

/* The required properties of a link. */
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

/* Adds a message to @why: the link @id is not of @kind, because of @reason. Returns -EINVAL. */
int shared_link__refuse(uint32_t id, const struct shared_link_kind *kind, const char *reason,
			struct strbuf *why);

/* Returns the id of the link that @fd refers to, or 0. */
uint32_t shared_link__id(int fd);
/*
 * Returns true if the link @id no longer exists, and false if it exists or if the kernel does not
 * reveal whether it exists.
 */
bool shared_link__is_gone(uint32_t id);
/* Returns the id of the program of the link @id, or 0 if the link does not exist or is hidden. */
uint32_t shared_link__prog(uint32_t id);
/* Returns 0 if the link @id exists, -ENOENT if it does not, or another -errno if it is unknown. */
int shared_link__find(uint32_t id);

/* ---- the maps of a leader ---- */

/* A map that a leader may have, and the variable that gets its fd. */
struct shared_map {
	const char *name; /* NULL: the map has the id @id */
	uint32_t id;
	uint32_t type; /* enum bpf_map_type */
	/*
	 * the size of the map's single element, whose key is 0; 0: the map may have other elements
	 */
	size_t value_size;
	int *fd; /* -1 until the map is found */
};

/*
 * Opens a leader with @nr links: the links with @ids, which must be of @kinds, and those of @maps
 * that their programs use. Returns 0; -ENOENT if a link no longer exists; TRUSTED_PATH_REFUSED if a
 * program was loaded by a user other than root and the effective user; -EINVAL if a link is not of
 * its kind; or another -errno. The reason is in @why, except for -ENOENT. On error, nothing stays
 * open. The caller has to check the maps.
 */
int shared_link__open_leader(const uint32_t *ids, const struct shared_link_kind *kinds, int nr,
			     struct shared_link *links, const struct shared_map *maps,
			     size_t nr_maps, struct strbuf *why);
/*
 * If the attr of @evsel does not describe it completely, other sessions cannot find a leader by it.
 * Returns the reason in this case, otherwise NULL.
 */
const char *shared_link__why_not(const struct evsel *evsel);
/* Does the map have @nr values of the size @value_size? */
bool shared_map__has_values(int fd, size_t value_size, uint64_t nr);

#endif
