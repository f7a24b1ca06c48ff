// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-mapped.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/interrupt.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope-library.h"
#include "util/machine/scope/scope.h"
#include "util/machine/symbols/far-file.h"

#define DELETED " (deleted)"

/*
 * Removes the suffix DELETED from the path of a mapping. Returns whether the path had this suffix.
 */
static bool cut_deleted(char *path)
{
	size_t len = strlen(path), mark = strlen(DELETED);

	if (len <= mark || strcmp(path + len - mark, DELETED) != 0)
		return false;
	path[len - mark] = '\0';
	return true;
}

/*
 * Returns whether @line describes an executable mapping of the library @name, or of a deleted file
 * whose path was @name. If so, sets *@start and *@end to the addresses of the mapping.
 */
static bool is_wanted(char *line, const char *name, unsigned long *start, unsigned long *end)
{
	char flags[8], *path = strchr(line, '/');
	bool is_deleted;

	line[strcspn(line, "\n")] = '\0';
	if (!path || sscanf(line, "%lx-%lx %7s", start, end, flags) != 3 || !strchr(flags, 'x'))
		return false;
	is_deleted = cut_deleted(path);
	if (strchr(name, '/'))
		return is_deleted && !strcmp(path, name);
	return scope_library__is(strrchr(path, '/') + 1, name);
}

int scope_mapped__find(const struct scope_env *env, const char *name, char *path, size_t size)
{
	const char *tasks = sysroots__tasks(env->roots);
	unsigned long start, end;
	int fd, err = -ENOENT;
	char *line = NULL;
	size_t room = 0;
	FILE *maps;

	snprintf(path, size, "%s/%d/maps", tasks, env->pid);
	fd = far_file__copy_proc(path);
	if (fd < 0)
		return fd;
	maps = fdopen(fd, "r");
	if (!maps) {
		close(fd);
		return -ENOMEM;
	}
	while (err == -ENOENT && getline(&line, &room, maps) > 0) {
		if (interrupt__is_due())
			err = -EINTR;
		else if (is_wanted(line, name, &start, &end))
			err = 0;
	}
	if (!err)
		snprintf(path, size, "%s/%d/map_files/%lx-%lx", tasks, env->pid, start, end);
	free(line);
	fclose(maps);
	return err;
}
