/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens leaders of other sessions and tools. A leader consists of one or more BPF programs that
 * read shared counters. A pinned map contains the ids of the links that attach these programs to
 * tracepoints. An id does not keep its link alive. An id also cannot be trusted: any process with
 * CAP_SYS_ADMIN can write to the map, and the kernel reuses an id after it has created 2^31 other
 * links. So the code that opens a leader checks the link, its program, and the user who loaded the
 * program.
 */
#ifndef PSTAT_COUNT_SHARED_LINK_H
#define PSTAT_COUNT_SHARED_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct evsel;
struct strbuf;

/* The properties that a link must have. */
struct shared_link_kind {
	const char *what; /* the term for the leader in messages */
	const char *tracepoint, *prog;
	uint32_t prog_type;
};

#define SHARED_LINK_MAPS 32

struct shared_link {
	int fd, prog_fd; /* -1: not open */
	uint32_t nr_maps, map_ids[SHARED_LINK_MAPS];
};

/*
 * Stores in @why a message saying that the link @id is not of @kind, followed by @reason. Returns
 * -EINVAL.
 */
int shared_link__refuse(uint32_t id, const struct shared_link_kind *kind, const char *reason,
			struct strbuf *why);

/* Returns the id of the link that @fd refers to, or 0 on error. */
uint32_t shared_link__id(int fd);
/*
 * Returns true if the link @id no longer exists. Returns false if the link exists, or if the kernel
 * does not reveal whether the link exists.
 */
bool shared_link__is_gone(uint32_t id);
/* Returns the id of the program that the link @id attaches, or 0 if the link cannot be opened. */
uint32_t shared_link__prog(uint32_t id);
/*
 * Returns 0 if the link @id exists; -ENOENT if the link does not exist; or another -errno if the
 * kernel does not reveal whether the link exists.
 */
int shared_link__find(uint32_t id);

/* ---- the maps of a leader ---- */

/* A map that a leader may have, and the variable in which to store the map's fd. */
struct shared_map {
	const char *name; /* NULL: the map is identified by `id` */
	uint32_t id;
	uint32_t type; /* enum bpf_map_type */
	/* if not 0, the map must have a single entry, whose value has this size in bytes */
	size_t value_size;
	int *fd; /* *fd must be -1 at first, and stays -1 if the map is not found */
};

/*
 * Opens a leader that has @nr programs, each with its own link. The link @ids[i] must be of the
 * kind @kinds[i]. Also opens each map that is described in @maps and used by one of these programs.
 * It is not an error if a map is not found, so the caller must check the fds. Returns 0, or -ENOENT
 * without a reason if a link no longer exists. On any other error, stores the reason in @why, and
 * returns -EINVAL if a link is not of its kind, TRUSTED_PATH_REFUSED if a program was loaded by a
 * user who is neither root nor the effective user, or another -errno. On error, nothing stays open.
 */
int shared_link__open_leader(const uint32_t *ids, const struct shared_link_kind *kinds, int nr,
			     struct shared_link *links, const struct shared_map *maps,
			     size_t nr_maps, struct strbuf *why);
/*
 * Returns the reason why sessions cannot share the counter of @evsel, or NULL if they can. Sessions
 * find the leader of an event by the event's attr (perf_event_attr), so the attr must describe the
 * event completely.
 */
const char *shared_link__why_not(const struct evsel *evsel);
/* Returns whether the map @fd has @nr entries whose values have @value_size bytes each. */
bool shared_map__has_values(int fd, size_t value_size, uint64_t nr);

#endif
