/* SPDX-License-Identifier: GPL-2.0-only */
/* The names in a directory of sysfs or tracefs. */
#ifndef PSTAT_MACHINE_PMU_DIR_H
#define PSTAT_MACHINE_PMU_DIR_H

/*
 * The names are sorted by strcmp(3). Names that begin with a dot are omitted. A zeroed struct is
 * empty.
 */
struct dir_names {
	int nr;
	char **names;
};

/*
 * Reads the names in the directory @root/@path. Returns 0; -E2BIG if there are more than 65536
 * names; or another -errno. On error, @dir is empty.
 */
int dir_names__read(struct dir_names *dir, const char *root, const char *path);
void dir_names__free(struct dir_names *dir);

#endif
