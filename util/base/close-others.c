// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/close-others.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/number.h"

static bool is_in(int fd, const int *list, int nr)
{
	for (int i = 0; i < nr; i++)
		if (list[i] == fd)
			return true;
	return false;
}

/*
 * Does the same as close_others(), but closes the fds one by one. Used if close_range(2) fails: a
 * seccomp filter refuses the call, or the kernel is older than Linux 5.9.
 */
static void close_each(int from, const int *kept, int nr)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	uint64_t fd;

	while (dir && (entry = readdir(dir)))
		if (!number__parse_uint(entry->d_name, 0, INT_MAX, &fd) && (int)fd >= from &&
		    (int)fd != dirfd(dir) && !is_in((int)fd, kept, nr))
			close((int)fd);
	if (dir)
		closedir(dir);
}

void close_others(int from, const int *kept, int nr)
{
	for (unsigned int first = (unsigned int)from;;) {
		unsigned int next = ~0U;

		for (int i = 0; i < nr; i++)
			if (kept[i] >= (int)first && (unsigned int)kept[i] < next)
				next = (unsigned int)kept[i];
		if (next > first &&
		    syscall(SYS_close_range, first, next == ~0U ? next : next - 1, 0)) {
			close_each(from, kept, nr);
			return;
		}
		if (next == ~0U)
			return;
		first = next + 1;
	}
}
