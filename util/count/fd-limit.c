// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd-limit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

/*
 * The raised limit leaves room for this number of files that are not events: pipes, timers, output
 * files and BPF maps.
 */
#define OTHER_FILES 64
/* If the limit leaves room for fewer other files than this, fd_limit__make_room() fails. */
#define LEAST_OTHER_FILES 8
/* If /proc is missing, count_open() tests only fds below this number. */
#define MOST_LOOKED_AT 4096

/* RLIMIT_NOFILE before the first increase by fd_limit__make_room(), and after the latest one. */
static struct rlimit before, raised;
static uint64_t reserved;

static uint64_t count_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint64_t nr = 0;

	if (!dir) {
		for (int fd = 0; fd < MOST_LOOKED_AT; fd++)
			nr += fcntl(fd, F_GETFD) >= 0;
		return nr;
	}
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 3; /* do not count ".", ".." and the fd of the directory */
}

int fd_limit__make_room(uint64_t more, uint64_t *needed, uint64_t *allowed)
{
	struct rlimit limit, more_room;
	uint64_t open_now, wanted;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0; /* if the limit is too low, opening events fails with EMFILE */
	open_now = count_open();
	wanted = open_now + more + OTHER_FILES + reserved;
	*needed = open_now + more + LEAST_OTHER_FILES;
	if (limit.rlim_cur >= wanted)
		return 0;
	more_room = limit;
	more_room.rlim_cur = wanted;
	if (more_room.rlim_max < wanted)
		more_room.rlim_max = wanted;
	if (setrlimit(RLIMIT_NOFILE, &more_room)) {
		*allowed = limit.rlim_max;
		if (limit.rlim_max < *needed)
			return -EMFILE;
		more_room =
			(struct rlimit){ .rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max };
		if (limit.rlim_cur == limit.rlim_max || setrlimit(RLIMIT_NOFILE, &more_room))
			return 0;
	}
	if (!raised.rlim_cur)
		before = limit;
	raised = more_room;
	return 0;
}

void fd_limit__reserve(uint64_t nr)
{
	reserved += nr;
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
