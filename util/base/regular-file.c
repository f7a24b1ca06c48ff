// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * Opens @path with O_PATH. @dir is AT_FDCWD, or the directory that serves as the root directory for
 * @path and for the symbolic links in @path. Kernels before Linux 5.6 lack openat2(2), and a
 * seccomp filter can refuse it. Without openat2(2), FILE_NO_LINKS applies only to the last
 * component of the path, and FILE_FOLLOW fails unless @dir is AT_FDCWD.
 */
static int name_in(int dir, const char *path, enum regular_file_links links)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_NO_MAGICLINKS |
					   (dir != AT_FDCWD ? RESOLVE_IN_ROOT : 0) };
	int fd;

	if (links == FILE_FOLLOW && dir == AT_FDCWD)
		return open(path, O_PATH | O_CLOEXEC);
	if (links == FILE_FOLLOW)
		return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	how.flags |= O_NOFOLLOW;
	how.resolve |= RESOLVE_NO_SYMLINKS;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return fd;
	return openat(dir, path + (dir != AT_FDCWD && *path == '/'),
		      O_PATH | O_CLOEXEC | O_NOFOLLOW);
}

/*
 * Returns whether the file is a regular file that stores data. Files of procfs and sysfs are
 * refused, because reading them can have side effects. Empty files are refused, too. These include
 * the files of tracefs, debugfs and cgroups, whose st_size is 0.
 */
static bool keeps_data(int fd, const struct stat *st)
{
	struct statfs system;

	return S_ISREG(st->st_mode) && st->st_size > 0 && !fstatfs(fd, &system) &&
	       system.f_type != PROC_SUPER_MAGIC && system.f_type != SYSFS_MAGIC;
}

int regular_file__name(int dir, const char *path, enum regular_file_links links, struct stat *st)
{
	int fd = name_in(dir, path, links), err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, st))
		err = -errno;
	else if (!keeps_data(fd, st))
		err = -ENOEXEC;
	if (err)
		close(fd);
	return err ?: fd;
}

int regular_file__read_from(int named)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", named);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/*
 * Opens @path again by its name; used if /proc is missing. Returns -ESTALE if @path is no longer
 * the file of @st. Without /proc, pstat cannot find mapped files of other users, so @path can be
 * trusted: it comes from the user who runs pstat.
 */
static int open_again(const char *path, const struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err = 0;
	struct stat again;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &again))
		err = -errno;
	else if (!regular_file__same(&again, st))
		err = -ESTALE;
	if (err)
		close(fd);
	return err ?: fd;
}

int regular_file__open(const char *path, struct stat *st)
{
	int named = regular_file__name(AT_FDCWD, path, FILE_FOLLOW, st), fd;

	if (named < 0)
		return named;
	fd = regular_file__read_from(named);
	if (fd == -ENOENT)
		fd = open_again(path, st);
	close(named);
	return fd;
}

bool regular_file__same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}
