/* SPDX-License-Identifier: GPL-2.0-only */
/* The named events of a PMU, files in its folder "events": which there are, and what each stands for, read when it is asked for. */
#ifndef PSTAT_MACHINE_PMU_ALIASES_H
#define PSTAT_MACHINE_PMU_ALIASES_H

#include <stdbool.h>

struct pmu_alias;
struct pmu_alias_file;
struct pmu_files;

/* Zeroed is not read yet. */
struct pmu_aliases {
	struct pmu_alias_file *list; /* sorted, without regard to case */
	int nr;
	bool is_read;
};

void pmu_aliases__free(struct pmu_aliases *aliases);

/* As pmu__find_alias() and pmu__alias_name(). */
int pmu_aliases__find(struct pmu_aliases *aliases, const struct pmu_files *files, const char *name,
		      struct pmu_alias *alias);
const char *pmu_aliases__name(struct pmu_aliases *aliases, const struct pmu_files *files, int i);

#endif
