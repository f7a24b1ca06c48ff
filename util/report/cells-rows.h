/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells to rows: which are shown and in which order, by subjects, events and aggregates. */
#ifndef PSTAT_REPORT_CELLS_ROWS_H
#define PSTAT_REPORT_CELLS_ROWS_H

#include <stdbool.h>

struct cells;
struct stat_rows;

/*
 * Fills @rows with @cells, which were counted in @wall_ns (0: not known). In an @interval, subjects that were gone before it
 * have no rows. 0 or -ENOMEM.
 */
int cells__make_rows(struct cells *cells, double wall_ns, bool interval, struct stat_rows *rows);

#endif
