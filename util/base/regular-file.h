/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files that other users control. Opening a device, a FIFO or a terminal can block, take over
 * the terminal, or start a watchdog. So a path is first opened with O_PATH, which has no side
 * effects. If it is a regular file, it is then opened for reading through this descriptor.
 */
#ifndef PSTAT_BASE_REGULAR_FILE_H
#define PSTAT_BASE_REGULAR_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

enum regular_file_links {
	FILE_FOLLOW, /* follow symbolic links: the path comes from the user or from /proc */
	/* refuse symbolic links in the path, which comes from another user */
	FILE_NO_LINKS,
};

/*
 * Returns a descriptor that only refers to the file (O_PATH), and fills @st. @dir is AT_FDCWD, or a
 * descriptor of the directory that serves as the root directory for @path. On error, returns
 * -errno: -ENOEXEC if the file is not regular, or if its file system stores no data (procfs, sysfs
 * and others).
 */
int regular_file__name(int dir, const char *path, enum regular_file_links links, struct stat *st);
/*
 * Opens the file to which @named refers, for reading. Returns a descriptor or -errno. @named stays
 * open.
 */
int regular_file__read_from(int named);
/*
 * Opens @path for reading with the two functions above, and follows symbolic links. Returns a
 * descriptor or -errno.
 */
int regular_file__open(const char *path, struct stat *st);

bool regular_file__same(const struct stat *a, const struct stat *b);

#endif
