/* SPDX-License-Identifier: GPL-2.0-only */
/* The folder of a PMU in sysfs. */
#ifndef PSTAT_MACHINE_PMU_FILES_H
#define PSTAT_MACHINE_PMU_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct dir_names;
struct sysroots;

/* Nothing is owned. */
struct pmu_files {
	const struct sysroots *roots; /* NULL: there is no folder */
	const char *name;
};

/* As sysfs__read(), of a file of the folder. -ENOENT without a folder, -ENAMETOOLONG. */
int pmu_files__read(const struct pmu_files *files, const char *file, char *buf, size_t size);
bool pmu_files__has(const struct pmu_files *files, const char *file);
/* The names in a folder of it, none when there is no such; dir_names__free() is due. */
void pmu_files__list(const struct pmu_files *files, const char *dir, struct dir_names *names);

#endif
