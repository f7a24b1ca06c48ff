/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small text files of sysfs, procfs and tracefs, below roots that a test can put elsewhere.
 */
#ifndef PSTAT_BASE_SYSFS_H
#define PSTAT_BASE_SYSFS_H

#include <stddef.h>
#include <stdint.h>

/* Where the kernel's file systems are. Strings are not owned; sysroots__host() points at this machine's. */
struct sysroots {
	const char *sysfs;   /* /sys */
	const char *procfs;  /* /proc */
	const char *tracefs; /* /sys/kernel/tracing */
};

const struct sysroots *sysroots__host(void);

/* Whose processes the directories /proc/PID describe. */
enum procfs_tasks {
	PROCFS_OWN,	/* those of this process's PID namespace */
	PROCFS_MISSING, /* procfs is not mounted */
	/* those of another PID namespace: the same id there means another process */
	PROCFS_FOREIGN,
};

enum procfs_tasks sysroots__procfs_tasks(const struct sysroots *roots);

/*
 * Returns the directory that contains the processes by their ids in this PID namespace. If there is none, returns a
 * path below which nothing exists.
 */
const char *sysroots__tasks(const struct sysroots *roots);

/* For messages: why the processes' directories are unusable, and what to do about it. */
const char *procfs_tasks__why_not(enum procfs_tasks tasks);

/*
 * Read the file @root/@path whole, at most @size - 1 bytes, NUL-terminated, trailing white space cut.
 * Returns the length, or -errno; -EFBIG when the file is longer than that, -EINVAL when it holds a NUL byte.
 */
int sysfs__read(const char *root, const char *path, char *buf, size_t size);

/* Like sysfs__read(), but may stop reading once the text contains @end. */
int sysfs__read_until(const char *root, const char *path, const char *end, char *buf, size_t size);

/*
 * Reads a file that holds one decimal, hexadecimal (0x) or octal number. Errors as sysfs__read(), and -EINVAL if the
 * file holds something else.
 */
int sysfs__read_u64(const char *root, const char *path, uint64_t *value);

#endif
