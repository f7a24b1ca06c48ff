// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu/pmu-dir.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 65536

static int add(struct dir_names *dir, int *room, const char *name)
{
	if (dir->nr == NAMES_MAX)
		return -E2BIG;
	if (dir->nr == *room) {
		int more = *room ? *room * 2 : 16;
		char **grown = realloc(dir->names, sizeof(*grown) * (size_t)more);

		if (!grown)
			return -ENOMEM;
		dir->names = grown;
		*room = more;
	}
	dir->names[dir->nr] = strdup(name);
	if (!dir->names[dir->nr])
		return -ENOMEM;
	dir->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int dir_names__read(struct dir_names *dir, const char *root, const char *path)
{
	struct dirent *entry;
	char full[PATH_MAX];
	int err = 0, room = 0, len;
	DIR *stream;

	*dir = (struct dir_names){ 0 };
	len = snprintf(full, sizeof(full), "%s/%s", root, path);
	if (len < 0 || (size_t)len >= sizeof(full))
		return -ENAMETOOLONG;
	stream = opendir(full);
	if (!stream)
		return -errno;
	while (!err && (errno = 0, entry = readdir(stream)))
		if (entry->d_name[0] != '.')
			err = add(dir, &room, entry->d_name);
	if (!err && errno)
		err = -errno;
	closedir(stream);
	if (err)
		dir_names__free(dir);
	else if (dir->nr)
		qsort(dir->names, (size_t)dir->nr, sizeof(*dir->names), compare);
	return err;
}

void dir_names__free(struct dir_names *dir)
{
	for (int i = 0; i < dir->nr; i++)
		free(dir->names[i]);
	free(dir->names);
	*dir = (struct dir_names){ 0 };
}
