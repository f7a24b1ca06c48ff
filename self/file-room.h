/* SPDX-License-Identifier: GPL-2.0-only */
/* Room for more open files for a while, in a process whose limit is another's affair (RLIMIT_NOFILE). */
#ifndef PSTAT_SELF_FILE_ROOM_H
#define PSTAT_SELF_FILE_ROOM_H

#include <stdint.h>
#include <sys/resource.h>

struct file_room {
	struct rlimit before, raised; /* the same when it was not raised */
};

/* Raises the limit if there is not room for @wanted files besides those that are open, or else for @needed; the kernel says if that fails. */
void file_room__take(struct file_room *room, uint64_t wanted, uint64_t needed);

/* As it was before, unless the limit is not any more what it was raised to: then somebody else has set it. */
void file_room__give_back(const struct file_room *room);

#endif
