// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu/pmu-files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/machine/pmu/pmu-dir.h"

int pmu_files__read(const struct pmu_files *files, const char *file, char *buf, size_t size)
{
	char path[PATH_MAX];
	int len;

	if (!files->roots)
		return -ENOENT;
	len = snprintf(path, sizeof(path), "bus/event_source/devices/%s/%s", files->name, file);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	return sysfs__read(files->roots->sysfs, path, buf, size);
}

bool pmu_files__has(const struct pmu_files *files, const char *file)
{
	char path[PATH_MAX];
	int len;

	if (!files->roots)
		return false;
	len = snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/%s", files->roots->sysfs,
		       files->name, file);
	return len > 0 && (size_t)len < sizeof(path) && !access(path, F_OK);
}

void pmu_files__list(const struct pmu_files *files, const char *dir, struct dir_names *names)
{
	char path[PATH_MAX];
	int len;

	*names = (struct dir_names){ 0 };
	if (!files->roots)
		return;
	len = snprintf(path, sizeof(path), "bus/event_source/devices/%s/%s", files->name, dir);
	if (len > 0 && (size_t)len < sizeof(path))
		dir_names__read(names, files->roots->sysfs, path);
}
