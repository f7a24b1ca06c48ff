/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses the edit distance to find names that are similar to a misspelt name. Swapping two adjacent
 * characters is one edit. Upper and lower case count as equal, and so do '_' and '-'.
 */
#ifndef PSTAT_BASE_NEAR_NAMES_H
#define PSTAT_BASE_NEAR_NAMES_H

#define NEAR_NAMES_MAX 3

/*
 * Names, sorted by their distance from the misspelt name. Names with equal distances are in the
 * order in which they were offered. The struct owns the names. A zeroed struct is empty.
 */
struct near_names {
	int nr;
	unsigned int distance[NEAR_NAMES_MAX];
	char *names[NEAR_NAMES_MAX];
};

/*
 * Stores a copy of @candidate if it is one of the NEAR_NAMES_MAX most similar names that have been
 * offered so far, and if its distance from the misspelt name @wanted is at most a third of the
 * length of @wanted, rounded up. Drops names whose distance exceeds the distance of the most
 * similar name by more than 1.
 */
void near_names__offer(struct near_names *near, const char *wanted, const char *candidate);
void near_names__free(struct near_names *near);

#endif
