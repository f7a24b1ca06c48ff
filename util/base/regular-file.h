/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files that other users control. Opening a device, a FIFO or a terminal can block, take over
 * the terminal or start a watchdog. So a path is first opened with O_PATH, which has no side
 * effects. Only if it is a regular file is it then opened for reading, through that descriptor.
 */
#ifndef PSTAT_BASE_REGULAR_FILE_H
#define PSTAT_BASE_REGULAR_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

enum regular_file_links {
	FILE_FOLLOW, /* symbolic links are followed: the path comes from the user or from /proc */
	/* no part of the path may be a symbolic link: the path comes from another user */
	FILE_NO_LINKS,
};

/*
 * Returns a descriptor that only names the file (O_PATH), and fills @st. @dir is AT_FDCWD, or a
 * descriptor of the directory that serves as the root of @path. Returns -errno on error: -ENOEXEC
 * if the file is not regular, or if its file system stores no data (procfs, sysfs and the like).
 */
int regular_file__name(int dir, const char *path, enum regular_file_links links, struct stat *st);
/*
 * Opens the file that @named names for reading. Returns a descriptor or -errno. @named stays open.
 */
int regular_file__read_from(int named);
/*
 * Opens @path for reading, following symbolic links, by calling the two functions above. Returns a
 * descriptor or -errno.
 */
int regular_file__open(const char *path, struct stat *st);

bool regular_file__same(const struct stat *a, const struct stat *b);

#endif
