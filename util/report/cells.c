// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/cells.h"

#include <errno.h>
#include <stdlib.h>

#include "util/event/evlist.h"
#include "util/report/aggr-table.h"
#include "util/report/report.h"

int cells__init(struct cells *cells, const struct report_config *config)
{
	size_t events = (size_t)config->evlist->nr + 1; /* no table of 0 bytes: its NULL would look like no memory */

	*cells = (struct cells){ .config = config };
	cells->unsupported = calloc(events, sizeof(*cells->unsupported));
	cells->left_out = calloc(events, sizeof(*cells->left_out));
	cells->nowhere = calloc(events, sizeof(*cells->nowhere));
	return cells->unsupported && cells->left_out && cells->nowhere ? 0 : -ENOMEM;
}

void cells__free(struct cells *cells)
{
	free(cells->unsupported);
	free(cells->left_out);
	free(cells->nowhere);
	free(cells->cells);
	free(cells->counts);
	free(cells->known);
	free(cells->runs);
}

int cells__grow(struct cells *cells, int nr_aggr)
{
	const struct aggr_table shape = { cells->config->evlist->nr, cells->nr_aggr, nr_aggr };

	if (!aggr_table__grow(&cells->cells, &shape) || !aggr_table__grow(&cells->counts, &shape) ||
	    !aggr_table__grow(&cells->known, &shape) || (cells->runs && !aggr_table__grow(&cells->runs, &shape)))
		return -ENOMEM;
	cells->nr_aggr = nr_aggr;
	return 0;
}

int cells__keep_runs(struct cells *cells)
{
	const struct aggr_table shape = { cells->config->evlist->nr, 0, cells->nr_aggr };

	return cells->runs || aggr_table__grow(&cells->runs, &shape) ? 0 : -ENOMEM;
}

size_t cells__nr(const struct cells *cells)
{
	return (size_t)cells->config->evlist->nr * (size_t)cells->nr_aggr;
}

struct cell *cells__at(const struct cells *cells, int event, int aggr)
{
	return &cells->cells[(size_t)event * (size_t)cells->nr_aggr + (size_t)aggr];
}
