/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files in a directory that a test makes. fake-tree.h and test_event_roots.h make machines out of
 * them.
 */
#ifndef PSTAT_TESTS_MADE_FILES_H
#define PSTAT_TESTS_MADE_FILES_H

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Writes exactly these bytes to the file @path below @root, and makes all directories above it.
 * Returns 0 or -errno.
 */
static inline int made_files__write(const char *root, const char *path, const void *data,
				    size_t size)
{
	char full[PATH_MAX];
	FILE *file;
	size_t written;

	if (snprintf(full, sizeof(full), "%s/%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	for (char *slash = full + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	if (!file)
		return -errno;
	written = fwrite(data, 1, size, file);
	return fclose(file) || written != size ? -EIO : 0;
}

static inline int made_files__remove_one(const char *path, const struct stat *st, int type,
					 struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Removes @root and everything below it. Returns 0 on success. */
static inline int made_files__remove(const char *root)
{
	return nftw(root, made_files__remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
