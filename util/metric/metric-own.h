/* SPDX-License-Identifier: GPL-2.0-only */
/* The metrics that need no vendor's file: made of events that any machine may have. */
#ifndef PSTAT_METRIC_OWN_H
#define PSTAT_METRIC_OWN_H

#include "util/metric/metric-table.h"

/* Ends with a row whose name is NULL. */
extern const struct metric_def metrics_own[];

#endif
