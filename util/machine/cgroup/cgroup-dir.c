// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/cgroup/cgroup-dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/machine/cgroup/cgroup-list.h"

/*
 * Returns the length of @path if the whole path fits into one system call. Otherwise, returns the
 * length of the longest prefix that fits and is followed by a slash, or 0 if there is no such
 * prefix.
 */
static size_t part_len(const char *path)
{
	size_t len = strnlen(path, PATH_MAX);

	if (len < PATH_MAX)
		return len;
	for (len = PATH_MAX - 1; len && path[len] != '/'; len--)
		;
	return len;
}

int cgroup_dir__open(const char *mount, const char *path)
{
	int fd = open(mount, O_PATH | O_DIRECTORY | O_CLOEXEC), next, err;
	char part[PATH_MAX];

	path += strspn(path, "/");
	do {
		size_t len = part_len(path);
		bool last = !path[len];

		if (fd < 0)
			return -errno;
		if (!len && !last) {
			close(fd);
			return -ENAMETOOLONG;
		}
		memcpy(part, path, len);
		part[len] = '\0';
		next = openat(fd, len ? part : ".",
			      (last ? O_RDONLY : O_PATH) | O_DIRECTORY | O_CLOEXEC);
		err = errno;
		close(fd);
		errno = err;
		fd = next;
		path += len + strspn(path + len, "/");
	} while (*path);
	return fd < 0 ? -errno : fd;
}

/* ---- all cgroups ---- */

static int compare_backwards(const void *left, const void *right)
{
	return -strcmp(*(char *const *)left, *(char *const *)right);
}

static bool is_child(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 &&
	       strcmp(entry->d_name, "..") != 0;
}

/*
 * Pushes the children of @path onto the stack @waiting, so that they are popped in the order of
 * their names. Increases @list->too_long by the number of children whose paths are too long.
 * Returns 0; -ENOENT or -ENODEV if the cgroup no longer exists; or another -errno.
 */
static int push_children(const char *mount, const char *path, struct cgroup_list *waiting,
			 struct cgroup_list *list)
{
	int fd = cgroup_dir__open(mount, path), err = 0, first = waiting->nr;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct strbuf child = STRBUF_INIT;
	struct dirent *entry;

	if (!dir) {
		err = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(dir))) {
		if (!is_child(entry))
			continue;
		strbuf__reset(&child);
		strbuf__addf(&child, "%s%s%s", path, *path ? "/" : "", entry->d_name);
		if (child.len > CGROUP_PATH_MOST)
			list->too_long++;
		else
			err = strbuf__failed(&child) ? -ENOMEM :
						       cgroup_list__add(waiting, child.text);
	}
	closedir(dir);
	strbuf__free(&child);
	if (waiting->nr > first)
		qsort(waiting->names + first, (size_t)(waiting->nr - first),
		      sizeof(*waiting->names), compare_backwards);
	return err;
}

int cgroup_dir__list(const char *mount, struct cgroup_list *list)
{
	struct cgroup_list waiting = CGROUP_LIST_INIT;
	int err = push_children(mount, "", &waiting, list);

	err = err ?: cgroup_list__add(list, "/");
	while (!err && waiting.nr) {
		char *path = waiting.names[--waiting.nr];

		err = push_children(mount, path, &waiting, list);
		if (!err)
			err = cgroup_list__add(list, path);
		else if (err == -ENOENT || err == -ENODEV)
			err = 0; /* the cgroup no longer exists */
		free(path);
	}
	cgroup_list__free(&waiting);
	return err;
}
