// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/cells-merge.h"

#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/report/aggr.h"
#include "util/report/cells.h"
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
		cells->unsupported[first] &= cells->unsupported[event];
	}
}

static bool same_core(const struct aggr_id *a, const struct aggr_id *b)
{
	return a->prog == b->prog && a->socket == b->socket && a->die == b->die && a->cluster == b->cluster &&
	       a->core == b->core;
}

/*
 * Sets the count of a percore event on each CPU to the sum over all CPUs of the core. Metrics of
 * other events divide by this sum. Without --percore-show-thread, only the first CPU of a core has
 * a row.
 */
static void share_within_cores(struct cells *cells, int event)
{
	const struct aggr_id *ids = cells->config->aggr->ids;

	for (int aggr = 0; aggr < cells->nr_aggr; aggr++) {
		struct cell *cell = cells__at(cells, event, aggr);

		for (int other = 0; cell->hidden && other < aggr; other++) {
			if (!same_core(&ids[other], &ids[aggr]) || cells__at(cells, event, other)->hidden)
				continue;
			*cell = *cells__at(cells, event, other);
			cell->hidden = !cells->config->percore_show_thread;
			break;
		}
	}
}

/* Of a percore event the first CPU of a core shows what all of them counted. */
static void merge_threads_of_cores(struct cells *cells, int event)
{
	const struct aggr_id *ids = cells->config->aggr->ids;

	for (int aggr = 1; aggr < cells->nr_aggr; aggr++) {
		for (int before = 0; before < aggr; before++) {
			if (!same_core(&ids[before], &ids[aggr]))
				continue;
			cell__merge(cells__at(cells, event, before), cells__at(cells, event, aggr));
			break;
		}
	}
}

void cells__merge_cores(struct cells *cells)
{
	const struct evlist *evlist = cells->config->evlist;

	for (int event = 0; event < evlist->nr; event++) {
		if (!evlist->entries[event]->percore)
			continue;
		merge_threads_of_cores(cells, event);
		share_within_cores(cells, event);
	}
}

/* What pstat itself counts, wall time and the like, is the same for each program. */
static void share_tool_event(struct cells *cells, int event)
{
	const struct aggr_map *aggr = cells->config->aggr;

	for (int prog = 1; prog < aggr->nr_progs; prog++)
		*cells__at(cells, event, prog * aggr->nr_per_prog) = *cells__at(cells, event, 0);
}

void cells__share_tool_events(struct cells *cells)
{
	const struct evlist *evlist = cells->config->evlist;

	if (!cells->config->aggr->by_prog)
		return;
	for (int event = 0; event < evlist->nr; event++)
		if (tool_event__is_of_session(evlist->entries[event]->tool))
			share_tool_event(cells, event);
}
