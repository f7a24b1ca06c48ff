// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/cells.h"

#include <errno.h>
#include <stdlib.h>

#include "util/event/evlist.h"
#include "util/metric/metric-default.h"
#include "util/report/aggr.h"
#include "util/report/report.h"

int cells__init(struct cells *cells, const struct report_config *config)
{
	/* at least one element, because calloc() may return NULL for 0 bytes */
	size_t events = (size_t)config->evlist->nr + 1;

	*cells = (struct cells){ .config = config };
	cells->left_out = calloc(events, sizeof(*cells->left_out));
	cells->nowhere = calloc(events, sizeof(*cells->nowhere));
	return cells->left_out && cells->nowhere ? cells__set_cgroups(cells, 1) : -ENOMEM;
}

void cells__free(struct cells *cells)
{
	free(cells->unsupported);
	free(cells->left_out);
	free(cells->nowhere);
	free(cells->cells);
	free(cells->counts);
	free(cells->known);
	metric_defaults__free(cells->defaults);
	free(cells->runs);
}

int cells__set_cgroups(struct cells *cells, int nr_cgroups)
{
	size_t nr = (size_t)cells->config->evlist->nr * (size_t)nr_cgroups + 1;

	free(cells->unsupported);
	cells->unsupported = calloc(nr, sizeof(*cells->unsupported));
	cells->nr_cgroups = nr_cgroups;
	return cells->unsupported ? 0 : -ENOMEM;
}

int cells__grow(struct cells *cells, const struct aggr_shape *shape)
{
	const struct aggr_shape *had = &cells->shape;
	int events = cells->config->evlist->nr;

	if (!aggr_table__grow(&cells->cells, events, had, shape) ||
	    !aggr_table__grow(&cells->counts, events, had, shape) ||
	    !aggr_table__grow(&cells->known, events, had, shape) ||
	    (cells->runs && !aggr_table__grow(&cells->runs, events, had, shape)))
		return -ENOMEM;
	cells->shape = *shape;
	cells->nr_aggr = shape->subjects * shape->aggrs;
	return 0;
}

int cells__keep_runs(struct cells *cells)
{
	const struct aggr_shape none = { 0, 0 };

	return cells->runs || aggr_table__grow(&cells->runs, cells->config->evlist->nr, &none,
					       &cells->shape) ?
		       0 :
		       -ENOMEM;
}

size_t cells__nr(const struct cells *cells)
{
	return (size_t)cells->config->evlist->nr * (size_t)cells->nr_aggr;
}

struct cell *cells__at(const struct cells *cells, int event, int aggr)
{
	return &cells->cells[(size_t)event * (size_t)cells->nr_aggr + (size_t)aggr];
}

bool cells__is_unsupported(const struct cells *cells, int event, int subject)
{
	return cells->unsupported[event * cells->nr_cgroups + subject % cells->nr_cgroups];
}
