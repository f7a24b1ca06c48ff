/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts to cells: readings are scaled and added up by aggregate, and what is counted twice or shows as one is merged. */
#ifndef PSTAT_REPORT_CELLS_COLLECT_H
#define PSTAT_REPORT_CELLS_COLLECT_H

#include "util/count/counts.h"

struct cells;

/* counts__total() or counts__delta() */
typedef struct reading (*reading_fn)(const struct counts *counts, int cpu_idx, int thread);

/* Instead of what there is in the cells, what @read says of @set, whose events are the evlist's. */
void cells__collect(struct cells *cells, const struct counts_set *set, reading_fn read);

#endif
