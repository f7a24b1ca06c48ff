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

/* What the folders of processes in procfs are. */
enum procfs_tasks {
	PROCFS_OWN,	/* of this process's PID namespace */
	PROCFS_MISSING, /* procfs is not mounted */
	PROCFS_FOREIGN, /* of another PID namespace: an id there is another process here */
};

enum procfs_tasks sysroots__procfs_tasks(const struct sysroots *roots);

/* Where the folders of processes are by the ids of this PID namespace; a path that nothing is below when there are none. */
const char *sysroots__tasks(const struct sysroots *roots);

/* For messages: why there are none, and what to do. */
const char *procfs_tasks__why_not(enum procfs_tasks tasks);

/*
 * Read the file @root/@path whole, at most @size - 1 bytes, NUL-terminated, trailing white space cut.
 * Returns the length, or -errno; -EFBIG when the file is longer than that, -EINVAL when it holds a NUL byte.
 */
int sysfs__read(const char *root, const char *path, char *buf, size_t size);

/* The same, but reading may end once the text has @end in it. */
int sysfs__read_until(const char *root, const char *path, const char *end, char *buf, size_t size);

/* The same as sysfs__read() for a file that holds one decimal, hexadecimal (0x) or octal number. -EINVAL when it holds something else. */
int sysfs__read_u64(const char *root, const char *path, uint64_t *value);

#endif
