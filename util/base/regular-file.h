/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files that other users control. Opening a FIFO, a terminal or another device can block,
 * change the controlling terminal, or start a watchdog. So a path is first opened with O_PATH,
 * which has no side effects. If the file is regular, it is then opened for reading through the
 * O_PATH descriptor.
 */
#ifndef PSTAT_BASE_REGULAR_FILE_H
#define PSTAT_BASE_REGULAR_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

enum regular_file_links {
	FILE_FOLLOW,   /* follow symbolic links; for paths from the user of pstat or from /proc */
	FILE_NO_LINKS, /* refuse symbolic links; for paths from other users */
};

/*
 * Opens @path with O_PATH, and fills @st. @dir is AT_FDCWD, or a descriptor of the directory that
 * serves as the root directory for @path. Returns a descriptor of the file, or -errno. -ENOEXEC
 * means that the file is not regular or is empty, or that its file system stores no data (procfs,
 * sysfs and others).
 */
int regular_file__name(int dir, const char *path, enum regular_file_links links, struct stat *st);
/*
 * Opens the file of the O_PATH descriptor @named for reading. Returns a descriptor or -errno.
 * @named stays open.
 */
int regular_file__read_from(int named);
/*
 * Opens @path for reading with regular_file__name() and regular_file__read_from(), follows symbolic
 * links, and fills @st. Returns a descriptor or -errno.
 */
int regular_file__open(const char *path, struct stat *st);

bool regular_file__same(const struct stat *a, const struct stat *b);

#endif
