/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads files in the directory of a PMU in sysfs. */
#ifndef PSTAT_MACHINE_PMU_FILES_H
#define PSTAT_MACHINE_PMU_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct dir_names;
struct sysroots;

/* The struct does not own the objects to which its members point. */
struct pmu_files {
	const struct sysroots *roots; /* NULL: there is no directory */
	const char *name;
};

/*
 * Reads @file in the PMU's directory. Returns the same values as sysfs__read(); -ENOENT if there is
 * no directory; or -ENAMETOOLONG if the path is too long.
 */
int pmu_files__read(const struct pmu_files *files, const char *file, char *buf, size_t size);
bool pmu_files__has(const struct pmu_files *files, const char *file);
/*
 * Lists the subdirectory @dir. The list is empty if the subdirectory does not exist or cannot be
 * read. The caller frees the list with dir_names__free().
 */
void pmu_files__list(const struct pmu_files *files, const char *dir, struct dir_names *names);

#endif
