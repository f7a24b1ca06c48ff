/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate of a session with --start or --stop. These options name points at which BPF programs
 * open and close the gate. pstat counts only while the gate is open. struct gate is in memory that
 * a backend shares with its BPF programs. (Even without --start and --stop, -b and --scope use a
 * struct gate: see bpf_skel/gate.h.)
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
	struct scope_list *files; /* the files that contain the points */
	struct scope_point *start, *stop;
	int nr_start; /* 0: there is no --start, and the gate opens when the events are enabled */
	/* 0: there is no --stop, and the gate stays open until the events are disabled */
	int nr_stop;
};

/* Returns the total time in ns for which the gate has been open. */
uint64_t gate__time(const struct gate *gate);
/*
 * Makes the BPF programs open and close the gate at the points. If there is no --start, opens the
 * gate immediately. Can be called again after gate__disarm().
 */
void gate__arm(struct gate *gate, const struct gate_points *points);
/* Closes the gate, and makes the BPF programs ignore the points. */
void gate__disarm(struct gate *gate);
/* Makes the BPF programs discard the runs (of -b or --scope) that are in progress. */
void gate__drop_runs(struct gate *gate);
/*
 * Corrects the times of an event that was also enabled while the gate was closed. @open_ns is the
 * time for which the gate was open. If *@enabled is greater than @open_ns, sets *@enabled to
 * @open_ns, and reduces *@running in the same proportion.
 */
void gate__limit_times(uint64_t open_ns, uint64_t *enabled, uint64_t *running);
/*
 * Warns if BPF could not read the counters, or could not take the lock of the gate, when a thread
 * passed a point (gate->inexact).
 */
void gate__report(const struct gate *gate);

#endif
