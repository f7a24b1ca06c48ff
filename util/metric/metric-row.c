// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-row.h"

#include <errno.h>
#include <stdlib.h>

int metric_row__add(struct metric_row *row, const struct row_metric *metric)
{
	struct row_metric *metrics = realloc(row->metrics, sizeof(*metrics) * ((size_t)row->nr + 1));

	if (!metrics)
		return -ENOMEM;
	row->metrics = metrics;
	metrics[row->nr++] = *metric;
	return 0;
}
