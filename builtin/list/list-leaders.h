/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the leaders of shared counters, and the processes that use these leaders. */
#ifndef PSTAT_BUILTIN_LIST_LEADERS_H
#define PSTAT_BUILTIN_LIST_LEADERS_H

#include <stdbool.h>

#include "util/report/column.h"

struct event_env;

struct leader_process {
	int pid;
	char command[64];
};

/*
 * A leader consists of one or more BPF programs (shared-link.h). It exists as long as a process
 * holds the BPF links that attach these programs.
 */
struct leader_row {
	const char *map; /* path of the pinned map through which sessions find the leader */
	uint32_t link;	 /* id of the BPF link that attaches the leader to sched_switch */
	char *events;	 /* names, separated by commas; NULL: the map stores no events */
	int nr_processes;
	struct leader_process *processes;
};

/* A zeroed struct is empty. */
struct leader_rows {
	int nr;
	struct leader_row *list;
};

extern const struct column leader_columns[];

/*
 * Lists the existing leaders. Does not create maps. Warns if a map cannot be read. If the user
 * lacks permission to read the map, prints this warning only with --debug. Returns 0 or -ENOMEM.
 */
int leader_rows__find(struct leader_rows *rows, const struct event_env *env);
void leader_rows__free(struct leader_rows *rows);

#endif
