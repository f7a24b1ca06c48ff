/* SPDX-License-Identifier: GPL-2.0-only */
/* Raises the limit on open files (RLIMIT_NOFILE) for a while, in a process that owns the limit. */
#ifndef PSTAT_SELF_FILE_ROOM_H
#define PSTAT_SELF_FILE_ROOM_H

#include <stdint.h>
#include <sys/resource.h>

struct file_room {
	struct rlimit before, raised; /* equal to `before` if the limit was not raised */
};

/*
 * Raises the limit so that @wanted files can be opened in addition to those that are open; if that
 * is not possible, @needed files. If both fail, a later open reports the error.
 */
void file_room__take(struct file_room *room, uint64_t wanted, uint64_t needed);

/* Restores the limit, unless somebody else has changed it since file_room__take(). */
void file_room__give_back(const struct file_room *room);

#endif
