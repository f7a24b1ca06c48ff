// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/count/why/free-counters.h"

/* Returns the number of perf events among the open files of @pid, or -errno. */
static int nr_events(int procfs, const char *pid)
{
	int dir_fd = openat(procfs, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, nr = 0;
	const struct dirent *entry;
	char target[64];
	DIR *dir;

	if (dir_fd < 0)
		return -errno;
	fd = openat(dir_fd, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(dir_fd);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int err = -errno;

		if (fd >= 0)
			close(fd);
		return err;
	}
	while ((entry = readdir(dir))) {
		ssize_t len = readlinkat(fd, entry->d_name, target, sizeof(target) - 1);

		target[len < 0 ? 0 : len] = '\0';
		nr += !strcmp(target, "anon_inode:[perf_event]");
	}
	closedir(dir);
	return nr;
}

static int add(struct event_holders *holders, pid_t pid, int nr)
{
	struct event_holder *list =
		reallocarray(holders->list, (size_t)holders->nr + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	holders->list = list;
	list[holders->nr++] = (struct event_holder){ pid, nr };
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct event_holder *a = left, *b = right;

	if (a->nr != b->nr)
		return a->nr > b->nr ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

int event_holders__find(struct event_holders *holders)
{
	const struct dirent *entry;
	DIR *dir = opendir(sysroots__tasks(sysroots__host()));
	int err = dir ? 0 : -errno;

	*holders = (struct event_holders){ 0 };
	while (dir && !err && (entry = readdir(dir))) {
		pid_t pid = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;
		int nr = pid && pid != getpid() ? nr_events(dirfd(dir), entry->d_name) : 0;

		holders->nr_hidden += nr == -EACCES || nr == -EPERM;
		if (nr > 0)
			err = add(holders, pid, nr);
	}
	if (dir)
		closedir(dir);
	if (err)
		event_holders__free(holders);
	else if (holders->nr)
		qsort(holders->list, (size_t)holders->nr, sizeof(*holders->list), compare);
	return err;
}

void event_holders__free(struct event_holders *holders)
{
	free(holders->list);
	*holders = (struct event_holders){ 0 };
}
