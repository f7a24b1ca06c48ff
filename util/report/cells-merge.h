/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells that show as one, or show the same: steps of cells__collect(), when the readings are added up. */
#ifndef PSTAT_REPORT_CELLS_MERGE_H
#define PSTAT_REPORT_CELLS_MERGE_H

struct cells;
struct counts_set;

/* Events on several PMUs of one kind: the first has what all counted, the others are hidden. */
void cells__merge_pmus(struct cells *cells);
/* AGGR_NONE, percore events: the first CPU of a core has what all its CPUs counted; the others are hidden, or show the same. */
void cells__merge_cores(struct cells *cells);
/* What pstat itself counts, for example wall time, and what has one column, is the same for all subjects. */
void cells__share_tool_events(struct cells *cells, const struct counts_set *set);

#endif
