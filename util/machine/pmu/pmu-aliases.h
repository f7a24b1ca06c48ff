/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The named events of a PMU ("aliases"). Each event is a file in the PMU's directory "events". A
 * file is read when its event is first needed.
 */
#ifndef PSTAT_MACHINE_PMU_ALIASES_H
#define PSTAT_MACHINE_PMU_ALIASES_H

#include <stdbool.h>

struct pmu_alias;
struct pmu_alias_file;
struct pmu_files;

/* The caller zeroes the struct before it calls any of the functions below. */
struct pmu_aliases {
	struct pmu_alias_file *list; /* sorted by name, ignoring case */
	int nr;
	bool is_read;
};

void pmu_aliases__free(struct pmu_aliases *aliases);

/*
 * pmu_aliases__find() finds the event @name, and returns the same values as pmu__find_alias() in
 * pmu.h. pmu_aliases__name() returns the name of event @i in alphabetical order, or NULL after the
 * last event.
 */
int pmu_aliases__find(struct pmu_aliases *aliases, const struct pmu_files *files, const char *name,
		      struct pmu_alias *alias);
const char *pmu_aliases__name(struct pmu_aliases *aliases, const struct pmu_files *files, int i);

#endif
