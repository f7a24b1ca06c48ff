/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raises the limit on open files (RLIMIT_NOFILE) for a short time. The limit belongs to the program
 * that uses libpstat-self, so file_room__give_back() restores it.
 */
#ifndef PSTAT_SELF_FILE_ROOM_H
#define PSTAT_SELF_FILE_ROOM_H

#include <stdint.h>
#include <sys/resource.h>

struct file_room {
	/* the limit before and after file_room__take(); equal if the limit was not raised */
	struct rlimit before, raised;
};

/*
 * Raises the limit so that @wanted more files can be opened, or, if this is not possible, @needed
 * more files. If neither is possible, this function does nothing, and the caller later fails to
 * open a file.
 */
void file_room__take(struct file_room *room, uint64_t wanted, uint64_t needed);

/* Restores the limit, unless other code has changed it since file_room__take(). */
void file_room__give_back(const struct file_room *room);

#endif
