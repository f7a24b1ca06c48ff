/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate of a session with --start and --stop: BPF programs open and close it at points, and
 * pstat counts while it is open. A backend that supports points has a gate in the memory of its BPF
 * programs (bpf_skel/gate.h), and stores a pointer to it in struct backend_group for the session.
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

/* Returns the time for which the gate has been open until now, in ns. */
uint64_t gate__time(const struct gate *gate);
/*
 * Makes the BPF programs open and close the gate at the points. If --start has no points, opens the
 * gate immediately. May be called again after gate__disarm().
 */
void gate__arm(struct gate *gate, const struct gate_points *points);
/* Closes the gate, and makes the BPF programs ignore the points. */
void gate__disarm(struct gate *gate);
/* Runs that are in progress are no longer counted. */
void gate__drop_runs(struct gate *gate);
/*
 * Corrects the times of an event that was enabled all the time, although the gate was open only for
 * @open_ns: *@enabled becomes at most @open_ns, and *@running is reduced in the same proportion.
 * This assumes that the event had a counter for the same share of the time while the gate was open.
 */
void gate__limit_times(uint64_t open_ns, uint64_t *enabled, uint64_t *running);
/* Warns if the counts are not exact at the points. */
void gate__report(const struct gate *gate);

#endif
