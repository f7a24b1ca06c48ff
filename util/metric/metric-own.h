/* SPDX-License-Identifier: GPL-2.0-only */
/* pstat's own metrics, whose events any machine may have. */
#ifndef PSTAT_METRIC_OWN_H
#define PSTAT_METRIC_OWN_H

#include "util/metric/metric-table.h"

/* The last row has a NULL name. */
extern const struct metric_def metrics_own[];

#endif
