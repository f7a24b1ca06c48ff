/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads small text files of sysfs, procfs and tracefs. Tests can replace the roots of these file
 * systems.
 */
#ifndef PSTAT_BASE_SYSFS_H
#define PSTAT_BASE_SYSFS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The roots of the kernel's file systems. The struct does not own the strings. sysroots__host()
 * returns this machine's roots.
 */
struct sysroots {
	const char *sysfs;   /* /sys */
	const char *procfs;  /* /proc */
	const char *tracefs; /* /sys/kernel/tracing */
};

const struct sysroots *sysroots__host(void);

/*
 * The PID namespace whose ids are the names of the directories /proc/PID, or the reason why it is
 * unknown.
 */
enum procfs_tasks {
	PROCFS_OWN,	/* the PID namespace of this process */
	PROCFS_MISSING, /* procfs is not mounted */
	/* another PID namespace, in which processes have other ids */
	PROCFS_FOREIGN,
	/* this process is not allowed to read the link /proc/self */
	PROCFS_REFUSED,
};

enum procfs_tasks sysroots__procfs_tasks(const struct sysroots *roots);

/*
 * Returns the root of procfs if its directories are named after the ids in the PID namespace of
 * this process. Otherwise, returns a path below which no file exists.
 */
const char *sysroots__tasks(const struct sysroots *roots);

/*
 * Returns a text for messages: why pstat cannot use the directories /proc/PID, and what the user
 * can do about it. For PROCFS_OWN, returns an empty string.
 */
const char *procfs_tasks__why_not(enum procfs_tasks tasks);

/*
 * Reads the whole file @root/@path into @buf as a NUL-terminated string without trailing white
 * space. Returns the length; -EFBIG if the file is longer than @size - 1 bytes; -EINVAL if it
 * contains a NUL byte; or another -errno if it cannot be read.
 */
int sysfs__read(const char *root, const char *path, char *buf, size_t size);

/*
 * Like sysfs__read(), but stops reading when the text contains @end. @buf can contain more text
 * after @end.
 */
int sysfs__read_until(const char *root, const char *path, const char *end, char *buf, size_t size);

/*
 * Reads a file that contains one decimal, hexadecimal (0x) or octal (0) number. Returns 0, an error
 * of sysfs__read(), or an error of number__parse_u64().
 */
int sysfs__read_u64(const char *root, const char *path, uint64_t *value);

#endif
