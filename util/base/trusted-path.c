// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/trusted-path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/reason.h"

static int check_owner(const struct stat *st, const char *path, struct strbuf *why)
{
	if (!st->st_uid || st->st_uid == geteuid())
		return 0;
	return reason__set(why, TRUSTED_PATH_REFUSED, "%s belongs to user %u", path,
			   (unsigned int)st->st_uid);
}

static bool others_may_write(const struct stat *st)
{
	return st->st_mode & (S_IWGRP | S_IWOTH);
}

static int refuse_mode(const struct stat *st, const char *path, struct strbuf *why)
{
	return reason__set(why, TRUSTED_PATH_REFUSED, "other users may write to %s (mode %04o)",
			   path, (unsigned int)(st->st_mode & 07777));
}

int trusted_path__check(const struct stat *st, const char *path, struct strbuf *why)
{
	int err = check_owner(st, path, why);

	return !err && others_may_write(st) ? refuse_mode(st, path, why) : err;
}

static int check_dir(int fd, const char *path, struct strbuf *why)
{
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	err = check_owner(&st, path, why);
	return !err && others_may_write(&st) && !(st.st_mode & S_ISVTX) ?
		       refuse_mode(&st, path, why) :
		       err;
}

/*
 * Opens and checks the directory @name in @parent, and closes @parent. @path is the whole path of
 * the directory, for messages. Returns an fd, or an error of trusted_path__open_dir().
 */
static int open_next(int parent, const char *name, const char *path, struct strbuf *why)
{
	int fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int err = fd < 0 ? -errno : check_dir(fd, path, why);

	if (parent >= 0)
		close(parent);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

int trusted_path__open_dir(const char *path, struct strbuf *why)
{
	char real[PATH_MAX], *slash;
	int fd;

	if (!realpath(path, real))
		return -errno;
	fd = open_next(-1, "/", "/", why);
	/*
	 * while a directory is checked, a NUL replaces the slash after its name, so `real` is the
	 * path of this directory
	 */
	for (char *name = real + 1; fd >= 0 && *name;
	     name = slash ? slash + 1 : strchr(name, '\0')) {
		slash = strchr(name, '/');
		if (slash)
			*slash = '\0';
		fd = open_next(fd, name, real, why);
		if (slash)
			*slash = '/';
	}
	return fd;
}
