/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts cells to rows, and selects and orders them by subjects, events and aggregates. */
#ifndef PSTAT_REPORT_CELLS_ROWS_H
#define PSTAT_REPORT_CELLS_ROWS_H

#include <stdbool.h>

struct cells;
struct stat_rows;

/*
 * Fills @rows with @cells, which were counted in @wall_ns (0: unknown). In an @interval, subjects
 * that ended before it have no rows. Returns 0 or -ENOMEM.
 */
int cells__make_rows(struct cells *cells, double wall_ns, bool interval, struct stat_rows *rows);

#endif
