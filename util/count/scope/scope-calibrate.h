/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the cost that the probes themselves add to the counts. */
#ifndef PSTAT_COUNT_SCOPE_CALIBRATE_H
#define PSTAT_COUNT_SCOPE_CALIBRATE_H

struct backend_group;
struct scope_list;
struct scope_programs;
struct scope_shape;
struct scope_totals_table;

/*
 * Sets the costs in @shape and in the BPF programs, for the classes of probes in @list. Call this
 * before anything else is attached at points. If it fails, the costs are 0, and pstat warns.
 */
void scope_calibrate(struct scope_shape *shape, struct scope_programs *programs,
		     struct scope_totals_table *totals, const struct backend_group *group,
		     const struct scope_list *list);

#endif
