// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/number.h"
#include "util/count/measurement.h"
#include "util/count/subjects.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/cpu/topology.h"
#include "util/metric/metric-default.h"
#include "util/report/aggr.h"
#include "util/report/cells.h"
#include "util/report/report.h"

/* ---- the table ---- */

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

/* ---- counts to cells ---- */

/*
 * Scales the value from the time for which the event had a counter to the time for which it was
 * enabled.
 */
static void scale(struct reading *reading)
{
	if (!reading->running)
		reading->value = 0;
	else if (reading->running < reading->enabled)
		reading->value = number__scale(reading->value, reading->enabled, reading->running);
}

/* How the readings of an event are added to cells. */
struct adding {
	bool scales;	   /* readings of multiplexed events are scaled up */
	bool omits_zeros;  /* readings of 0 are ignored */
	bool sees_starved; /* cell.starved is set if the event had no counter on a CPU */
	bool covers;	   /* cell.covered is set if the aggregate has a CPU in counts.cpus */
};

static struct adding cells__adding(const struct cells *cells, const struct counts *counts)
{
	enum aggr_mode mode = cells->config->aggr->mode;

	return (struct adding){
		.scales = !cells->config->no_scale && !counts->no_scale,
		.omits_zeros = mode == AGGR_THREAD && cells->config->system_wide,
		.sees_starved = aggr_mode__is_by_cpu(mode),
		.covers = tool_event__is_figure(counts->evsel->tool),
	};
}

static void cell__add(struct cell *cell, struct reading reading, struct adding how)
{
	bool starved = reading.enabled && !reading.running;

	if (how.scales)
		scale(&reading);
	if (how.omits_zeros && !reading.value)
		return;
	cell->nr++;
	cell->sum.value += reading.value;
	cell->sum.enabled += reading.enabled;
	cell->sum.running += reading.running;
	cell->starved |= starved && how.sees_starved;
}

/*
 * If evsel.per_pkg is set, an event has one count for each die (although its name says "package"),
 * and all CPUs of the die read this count. So, as in perf, only one reading of each die is added to
 * the cells: that of the first CPU on which the event had a counter. Returns whether counts->cpus
 * has a CPU before the index @cpu_idx that is in the same die as the CPU with this index, and on
 * which the event had a counter.
 */
static bool package_is_counted(const struct cells *cells, const struct counts *counts,
			       reading_fn read, int cpu_idx, int column)
{
	const struct topology *topology = cells->config->topology;
	const struct cpu_place *place, *other;

	if (!topology || cpumap__is_any(counts->cpus))
		return false;
	place = topology__place(topology, counts->cpus->ids[cpu_idx]);
	for (int i = 0; i < cpu_idx; i++) {
		struct reading reading = read(counts, i, column);

		other = topology__place(topology, counts->cpus->ids[i]);
		if (other->socket == place->socket && other->die == place->die && reading.enabled &&
		    reading.running)
			return true;
	}
	return false;
}

/*
 * Returns whether the CPU has been online at any time since counting began. The counts have rows
 * for all possible CPUs, because any possible CPU can come online.
 */
static bool is_seen(const struct measurement *m, int cpu_id)
{
	return cpu_id < 0 || !m->seen || cpumap__index(m->seen, cpu_id) >= 0;
}

/*
 * Returns whether the list @seen (NULL: all CPUs) contains @cpu_id. This is faster than is_seen(),
 * but the CPUs must be checked in ascending order. The caller must set *@at to 0 before the first
 * CPU. *@at is the index in @seen at which the search for the next CPU begins.
 */
static bool is_next_seen(const struct cpumap *seen, int cpu_id, int *at)
{
	if (!seen || cpu_id < 0)
		return true;
	while (*at < seen->nr && seen->ids[*at] < cpu_id)
		++*at;
	return *at < seen->nr && seen->ids[*at] == cpu_id;
}

static void hide_unseen(struct cells *cells, const struct measurement *m)
{
	const struct aggr_map *aggrs = cells->config->aggr;

	if (aggrs->mode != AGGR_NONE)
		return;
	for (int aggr = 0; aggr < cells->nr_aggr; aggr++)
		for (int event = 0; !is_seen(m, aggrs->ids[aggr % aggrs->nr].cpu) && event < m->nr;
		     event++)
			cells__at(cells, event, aggr)->hidden = true;
}

/*
 * Sets `covered` in the event's cells for the aggregates that contain a CPU of the event's PMU, or
 * a CPU in the event's term cpu=. These CPUs can differ from the CPUs on which the event is open,
 * because with -C the PMU's driver may move the event to another CPU.
 */
static void cover(struct cells *cells, int event)
{
	const struct evsel *evsel = cells->config->evlist->entries[event];
	const struct aggr_map *map = cells->config->aggr;

	if (map->mode == AGGR_GLOBAL)
		for (int subject = 0; subject < cells->shape.subjects; subject++)
			cells__at(cells, event, subject)->covered = true;
	for (int i = 0; evsel->pmu_cpus && i < evsel->pmu_cpus->nr; i++) {
		int aggr =
			aggr_map__find_place(map, evsel->pmu_cpus->ids[i], cells->config->topology);

		for (int subject = 0; aggr >= 0 && subject < cells->shape.subjects; subject++)
			cells__at(cells, event, subject * map->nr + aggr)->covered = true;
	}
}

/*
 * Adds the counts of one CPU to the cells of @event. @cpu is an index in counts->cpus. @how is the
 * result of cells__adding().
 */
static void collect_cpu(struct cells *cells, const struct counts *counts, reading_fn read,
			int event, int cpu, struct adding how)
{
	const struct aggr_map *map = cells->config->aggr;
	int aggr = aggr_map__find(map, counts->cpus->ids[cpu], 0);
	struct cell *cell = aggr < 0 ? NULL : cells__at(cells, event, aggr);
	/*
	 * the cell of the next subject is map->nr cells further on; without subjects, all columns
	 * are added to the same cell
	 */
	int next = map->subjects ? map->nr : 0, nr = counts->nr_columns;

	if (map->subjects && nr > map->subjects->nr)
		nr = map->subjects->nr;
	for (int column = 0; cell && column < nr; column++, cell += next) {
		cell->covered |= how.covers;
		if (counts->column_errs ? counts->column_errs[column] : counts->open_err)
			continue;
		if (counts->evsel->per_pkg && package_is_counted(cells, counts, read, cpu, column))
			cell->nr++;
		else
			cell__add(cell, read(counts, cpu, column), how);
	}
}

static void collect_event(struct cells *cells, const struct measurement *m, reading_fn read,
			  int event)
{
	const struct counts *counts = m->events[event];
	struct adding how = cells__adding(cells, counts);
	bool all = !m->seen || cpumap__equal(m->seen, counts->cpus);
	int at = 0;

	for (int cgroup = 0; cgroup < cells->nr_cgroups; cgroup++) {
		int err = counts__err(counts, cgroup);

		/*
		 * -ECANCELED: this event is supported, but another event of its group could not be
		 * opened.
		 */
		cells->unsupported[event * cells->nr_cgroups + cgroup] = err && err != -ECANCELED;
	}
	cells->left_out[event] = counts->left_out;
	cells->nowhere[event] = !counts->cpus->nr;
	if (counts->evsel->is_uncore || counts->evsel->cpus_given || counts->evsel->is_core_pmu)
		cover(cells, event);
	for (int cpu = 0; cpu < counts->cpus->nr; cpu++)
		if (is_next_seen(all ? NULL : m->seen, counts->cpus->ids[cpu], &at))
			collect_cpu(cells, counts, read, event, cpu, how);
}

static void collect_runs(struct cells *cells, const struct counts *run_cnt, reading_fn read)
{
	size_t nr = (size_t)cells->nr_aggr;

	cells->counts_runs = run_cnt != NULL;
	if (!run_cnt || !cells->config->evlist->nr)
		return;
	memset(cells->runs, 0, sizeof(*cells->runs) * nr);
	for (int cpu = 0; cpu < run_cnt->cpus->nr; cpu++) {
		for (int thread = 0; thread < run_cnt->nr_columns; thread++) {
			int aggr = aggr_map__find(cells->config->aggr, run_cnt->cpus->ids[cpu],
						  thread);

			if (aggr >= 0)
				cells->runs[aggr] += (double)read(run_cnt, cpu, thread).value;
		}
	}
	for (size_t event = 1; event < (size_t)cells->config->evlist->nr; event++)
		memcpy(cells->runs + event * nr, cells->runs, sizeof(*cells->runs) * nr);
}

/* ---- merged cells ---- */

static void cell__merge(struct cell *into, struct cell *from)
{
	into->sum.value += from->sum.value;
	into->sum.enabled += from->sum.enabled;
	into->sum.running += from->sum.running;
	into->covered |= from->covered;
	into->starved |= from->starved;
	from->hidden = true;
}

/*
 * Merges events that have the same name on different PMUs and share a row. The cells of each event
 * with evsel.merged are added to the cells of evsel.merge_into, and are hidden.
 */
static void cells__merge_pmus(struct cells *cells)
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
 * Copies the sum of each core to all CPUs of the core, so that the metrics in the rows of these
 * CPUs can use it. Without --percore-show-thread, the event itself has a row only for the first CPU
 * of a core.
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

/* Adds the counts of all CPUs of a core to the cell of the core's first CPU. */
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

/*
 * For events with the term percore, merges the cells of the CPUs of each core. Call this only in
 * AGGR_NONE.
 */
static void cells__merge_cores(struct cells *cells)
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

/*
 * Some values that pstat measures itself, such as wall time, exist only once. Copies them from the
 * first subject to all other subjects. As in perf stat, if the subjects are threads, only the first
 * thread has these values.
 */
static void cells__share_tool_events(struct cells *cells, const struct measurement *m)
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

/* ---- all steps ---- */

void cells__collect(struct cells *cells, const struct measurement *m, reading_fn read)
{
	memset(cells->cells, 0, sizeof(*cells->cells) * cells__nr(cells));
	for (int event = 0; event < m->nr; event++)
		collect_event(cells, m, read, event);
	cells__share_tool_events(cells, m);
	collect_runs(cells, m->run_cnt, read);
	for (size_t i = 0; i < cells__nr(cells); i++)
		if (cells->cells[i].starved)
			cells->cells[i].sum = (struct reading){ 0 };
	if (cells->config->aggr->mode == AGGR_NONE)
		cells__merge_cores(cells);
	else
		cells__merge_pmus(cells);
	hide_unseen(cells, m);
}
