/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate of a session with --start and --stop: BPF opens and closes it at points, and pstat
 * counts while it is open. A backend that obeys points has the gate in the memory of its programs
 * (bpf_skel/gate.h), and shows it to the session through struct backend_group.
 */
#ifndef PSTAT_COUNT_GATE_H
#define PSTAT_COUNT_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf_skel/gate.h"

struct scope_list;
struct scope_point;

/* The points that --start and --stop name. */
struct gate_points {
	struct scope_list *files; /* the files that contain them */
	struct scope_point *start, *stop;
	int nr_start; /* 0: the count starts when the session is enabled */
	int nr_stop;  /* 0: the count stops when the session ends */
};

/* For how long the gate was open until now, in ns. */
uint64_t gate__time(const struct gate *gate);
/*
 * Makes the programs obey the points. Without points of --start, this opens the gate. May be called
 * again after gate__disarm().
 */
void gate__arm(struct gate *gate, const struct gate_points *points);
/* Makes the programs ignore the points, and closes the gate. */
void gate__disarm(struct gate *gate);
/* Runs that are in progress do not count any more. */
void gate__drop_runs(struct gate *gate);
/* Warns if counts at points are not exact. */
void gate__report(const struct gate *gate);

#endif
