// SPDX-License-Identifier: GPL-2.0-only
#include "self/file-room.h"

#include <stdbool.h>

#include "util/count/fd-limit.h"

static bool same(const struct rlimit *a, const struct rlimit *b)
{
	return a->rlim_cur == b->rlim_cur && a->rlim_max == b->rlim_max;
}

void file_room__take(struct file_room *room, uint64_t wanted, uint64_t needed)
{
	uint64_t enough, allowed;

	*room = (struct file_room){ .before.rlim_cur = 0 };
	if (getrlimit(RLIMIT_NOFILE, &room->before))
		return;
	room->raised = room->before;
	if (fd_limit__make_room(wanted, &enough, &allowed) &&
	    fd_limit__make_room(needed, &enough, &allowed))
		return;
	if (getrlimit(RLIMIT_NOFILE, &room->raised))
		room->raised = room->before;
}

void file_room__give_back(const struct file_room *room)
{
	struct rlimit now;

	if (!same(&room->before, &room->raised) && !getrlimit(RLIMIT_NOFILE, &now) &&
	    same(&now, &room->raised))
		setrlimit(RLIMIT_NOFILE, &room->before);
}
