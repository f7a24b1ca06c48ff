/* SPDX-License-Identifier: GPL-2.0-only */
/* The few names that come nearest to a misspelt one, by edit distance (a swap of neighbours is one edit). */
#ifndef PSTAT_EVENT_NEAR_NAMES_H
#define PSTAT_EVENT_NEAR_NAMES_H

#define NEAR_NAMES_MAX 3

/* All zero is empty. The nearest first; of equal ones that which was offered first. Names are owned. */
struct near_names {
	int nr;
	unsigned int distance[NEAR_NAMES_MAX];
	char *names[NEAR_NAMES_MAX];
};

/* Keeps @candidate if it is near enough to @wanted (a third of its length) and nearer than one of those kept. */
void near_names__offer(struct near_names *near, const char *wanted, const char *candidate);
void near_names__free(struct near_names *near);

#endif
