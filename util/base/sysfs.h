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

/*
 * Read the file @root/@path whole, at most @size - 1 bytes, NUL-terminated, trailing white space cut.
 * Returns the length, or -errno; -EFBIG when the file is longer than that, -EINVAL when it holds a NUL byte.
 */
int sysfs__read(const char *root, const char *path, char *buf, size_t size);

/* The same for a file that holds one decimal, hexadecimal (0x) or octal number. -EINVAL when it holds something else. */
int sysfs__read_u64(const char *root, const char *path, uint64_t *value);

#endif
