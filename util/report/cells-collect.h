/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts counts to cells: scales readings, adds them up by aggregate, and merges cells. */
#ifndef PSTAT_REPORT_CELLS_COLLECT_H
#define PSTAT_REPORT_CELLS_COLLECT_H

#include "util/count/counts.h"

struct cells;
struct measurement;

/* counts__total() or counts__delta() */
typedef struct reading (*reading_fn)(const struct counts *counts, int cpu_idx, int thread);

/*
 * Replaces the contents of the cells by what @read returns for @m, which has the evlist's events.
 */
void cells__collect(struct cells *cells, const struct measurement *m, reading_fn read);

#endif
