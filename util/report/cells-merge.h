/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merges cells that are shown as one, or are equal. cells__collect() calls these functions after
 * adding up.
 */
#ifndef PSTAT_REPORT_CELLS_MERGE_H
#define PSTAT_REPORT_CELLS_MERGE_H

struct cells;
struct measurement;

/* Adds the events on several PMUs of one kind to the first of them, and hides the others. */
void cells__merge_pmus(struct cells *cells);
/*
 * For percore events in AGGR_NONE: adds up the CPUs of each core in the cell of its first CPU.
 * Hides the other CPUs' cells, or, with --percore-show-thread, makes them equal.
 */
void cells__merge_cores(struct cells *cells);
/* Copies the counts of pstat's own events with one column, such as wall time, to all subjects. */
void cells__share_tool_events(struct cells *cells, const struct measurement *m);

#endif
