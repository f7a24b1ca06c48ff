// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd-limit.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>

/* What else a count opens: pipes, timers, the output, maps. */
#define OTHER_FILES 64

/* Of the process, as the limit is: what it was before room was made, and what it is since. */
static struct rlimit before, raised;

static uint64_t count_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint64_t nr = 0;

	if (!dir)
		return OTHER_FILES;
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

int fd_limit__make_room(uint64_t more, uint64_t *needed, uint64_t *allowed)
{
	struct rlimit limit, more_room;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0; /* the kernel will say it */
	*needed = count_open() + more + OTHER_FILES;
	if (limit.rlim_cur >= *needed)
		return 0;
	more_room = limit;
	more_room.rlim_cur = *needed;
	if (more_room.rlim_max < *needed)
		more_room.rlim_max = *needed;
	if (setrlimit(RLIMIT_NOFILE, &more_room)) {
		*allowed = limit.rlim_max;
		return -EMFILE;
	}
	if (!raised.rlim_cur)
		before = limit;
	raised = more_room;
	return 0;
}

void fd_limit__hide(void)
{
	if (raised.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &before);
}

void fd_limit__show(void)
{
	if (raised.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &raised);
}
