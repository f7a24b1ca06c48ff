/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opening files that other users control. Opening a device, a FIFO or a terminal can wait, take the terminal or start a watchdog. So a
 * path is first opened with O_PATH, which has no such effect, and only a regular file is then opened for reading, through that descriptor.
 */
#ifndef PSTAT_BASE_REGULAR_FILE_H
#define PSTAT_BASE_REGULAR_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

enum regular_file_links {
	FILE_FOLLOW,   /* symbolic links are followed: the path comes from the user, or from /proc */
	FILE_NO_LINKS, /* no part of the path is a symbolic link: the path comes from somebody else */
};

/*
 * A descriptor that only names the file (O_PATH), with its @st. @dir is AT_FDCWD, or a descriptor of the directory that is the root of the
 * path. -errno; -ENOEXEC when it is no regular file, or when its file system keeps no data (procfs, sysfs and the like).
 */
int regular_file__name(int dir, const char *path, enum regular_file_links links, struct stat *st);
/* A descriptor to read from the file that @named names. -errno; @named stays open. */
int regular_file__read_from(int named);
/* Both of them at once, following links. */
int regular_file__open(const char *path, struct stat *st);

bool regular_file__same(const struct stat *a, const struct stat *b);

#endif
