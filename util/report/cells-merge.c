// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/cells.h"

#include <string.h>

#include "util/count/measurement.h"
#include "util/count/subjects.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/report/aggr.h"
#include "util/report/report.h"

static void cell__merge(struct cell *into, struct cell *from)
{
	into->sum.value += from->sum.value;
	into->sum.enabled += from->sum.enabled;
	into->sum.running += from->sum.running;
	into->covered |= from->covered;
	into->starved |= from->starved;
	from->hidden = true;
}

void cells__merge_pmus(struct cells *cells)
{
	const struct evlist *evlist = cells->config->evlist;

	for (int event = 0; event < evlist->nr; event++) {
		int first;

		if (!evlist->entries[event]->merged)
			continue;
		first = evlist->entries[event]->merge_into->idx;
		for (int aggr = 0; aggr < cells->nr_aggr; aggr++)
			cell__merge(cells__at(cells, first, aggr), cells__at(cells, event, aggr));
		for (int cgroup = 0; cgroup < cells->nr_cgroups; cgroup++)
			cells->unsupported[first * cells->nr_cgroups + cgroup] &=
				cells__is_unsupported(cells, event, cgroup);
	}
}

static bool same_core(const struct aggr_id *a, const struct aggr_id *b)
{
	return a->socket == b->socket && a->die == b->die && a->cluster == b->cluster &&
	       a->core == b->core;
}

/*
 * Sets the count of a percore event on each CPU to the sum over its core, because metrics of other
 * events divide by it. Without --percore-show-thread, only the first CPU of a core has a row.
 */
static void share_within_cores(const struct cells *cells, struct cell *of_subject)
{
	const struct aggr_id *ids = cells->config->aggr->ids;

	for (int aggr = 0; aggr < cells->shape.aggrs; aggr++) {
		struct cell *cell = &of_subject[aggr];

		for (int other = 0; cell->hidden && other < aggr; other++) {
			if (!same_core(&ids[other], &ids[aggr]) || of_subject[other].hidden)
				continue;
			*cell = of_subject[other];
			cell->hidden = !cells->config->percore_show_thread;
			break;
		}
	}
}

/* Adds the counts of a percore event to the cell of each core's first CPU. */
static void merge_threads_of_cores(const struct cells *cells, struct cell *of_subject)
{
	const struct aggr_id *ids = cells->config->aggr->ids;

	for (int aggr = 1; aggr < cells->shape.aggrs; aggr++) {
		for (int before = 0; before < aggr; before++) {
			if (!same_core(&ids[before], &ids[aggr]))
				continue;
			cell__merge(&of_subject[before], &of_subject[aggr]);
			break;
		}
	}
}

void cells__merge_cores(struct cells *cells)
{
	const struct evlist *evlist = cells->config->evlist;

	for (int event = 0; event < evlist->nr; event++) {
		for (int subject = 0;
		     evlist->entries[event]->percore && subject < cells->shape.subjects;
		     subject++) {
			struct cell *of_subject =
				cells__at(cells, event, subject * cells->shape.aggrs);

			merge_threads_of_cores(cells, of_subject);
			share_within_cores(cells, of_subject);
		}
	}
}

void cells__share_tool_events(struct cells *cells, const struct measurement *m)
{
	size_t size = sizeof(struct cell) * (size_t)cells->shape.aggrs;

	if (subjects__are_threads(m->subjects))
		return;
	for (int event = 0; event < m->nr; event++) {
		if (!tool_event__is_of_session(m->events[event]->evsel->tool) ||
		    m->events[event]->nr_columns > 1)
			continue;
		for (int subject = 1; subject < cells->shape.subjects; subject++)
			memcpy(cells__at(cells, event, subject * cells->shape.aggrs),
			       cells__at(cells, event, 0), size);
	}
}
