/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts one cell to a row: name, state, value and metrics. */
#ifndef PSTAT_REPORT_CELL_ROW_H
#define PSTAT_REPORT_CELL_ROW_H

struct cells;
struct metric_source;
struct stat_rows;

/* Adds the row of @event in aggregate @aggr, if it is shown. Returns 0 or -ENOMEM. */
int cell__add_row(const struct cells *cells, const struct metric_source *source, int event,
		  int aggr, struct stat_rows *rows);

#endif
