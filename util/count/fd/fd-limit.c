// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/fd-limit.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>

/* What else a count opens: pipes, timers, the output, maps. */
#define OTHER_FILES 64

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
	struct rlimit limit, raised;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0; /* the kernel will say it */
	*needed = count_open() + more + OTHER_FILES;
	if (limit.rlim_cur >= *needed)
		return 0;
	raised = limit;
	raised.rlim_cur = *needed;
	if (raised.rlim_max < *needed)
		raised.rlim_max = *needed;
	if (!setrlimit(RLIMIT_NOFILE, &raised))
		return 0;
	*allowed = limit.rlim_max;
	return -EMFILE;
}
