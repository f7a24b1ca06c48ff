/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate of --start and --stop for -b and --scope. A run is counted only if the gate is open from
 * the beginning to the end of the run.
 */
#ifndef PSTAT_GATE_RUNS_BPF_H
#define PSTAT_GATE_RUNS_BPF_H

#include "gate.bpf.h"
#include "gate_points.bpf.h"
#include "prog_filter.bpf.h"

/*
 * Called at the points of --start and --stop. With -p or -t, only the selected tasks can open or
 * close the gate.
 */
static __noinline int pass_point(bool stop)
{
	if (!gate_changes(stop) || !task_is_wanted() || !gate_lock())
		return 0;
	if (gate_changes(stop))
		gate_turn(stop, bpf_ktime_get_ns());
	gate_unlock();
	return 0;
}

#endif
