// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/cells.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/subjects.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/metric/metric-set.h"
#include "util/metric/metric.h"
#include "util/report/aggr.h"
#include "util/report/report.h"
#include "util/report/stat_row.h"

/*
 * Returns the PMU that add_name() can print with the event's name, or NULL. As in perf stat
 * (parse_events_add_numeric() and __add_event() of Linux 6.12), software events, cache events and
 * events with a `pmu_name`, such as raw events, have such a PMU. Generic hardware events,
 * tracepoints and default events (evsel.is_default) do not. If the machine has several core PMUs,
 * however, every event that is opened on one of them (evsel.is_core_pmu) has such a PMU. If the
 * name of a PMU event comes from the term name= (evsel.name_given), the name is printed unchanged.
 */
static const char *pmu_of(const struct cells *cells, const struct evsel *evsel)
{
	if (evsel->pmu_name && evsel->name_given)
		return NULL;
	if (evsel->is_core_pmu)
		return evsel->pmu_name;
	/*
	 * As in perf 6.16 and later, the name of an event with the term cpu= is printed unchanged.
	 */
	if (evsel->is_default || evsel->tool != TOOL_NONE || evsel->cpus_given)
		return NULL;
	if (evsel->pmu_name)
		return evsel->pmu_name;
	switch (evsel->attr.attr.type) {
	case PERF_TYPE_SOFTWARE:
		return "software";
	case PERF_TYPE_HW_CACHE:
		return cells->config->core_pmu;
	default:
		return NULL;
	}
}

/*
 * Returns whether the event can be printed with the name of a core PMU. As in perf stat, the cache
 * events of -d are printed without their PMU. So the name of each of these events appears twice on
 * hybrid machines, which have two kinds of cores.
 */
static bool is_named_by_core_pmu(const struct evsel *evsel)
{
	return evsel->is_core_pmu &&
	       !(evsel->is_default && evsel->attr.attr.type == PERF_TYPE_HW_CACHE);
}

/*
 * Returns whether the printed name includes the PMU, if the event has a PMU that can be printed.
 * The PMU distinguishes events that have the same name on several PMUs. @by_core_pmu is the result
 * of is_named_by_core_pmu(). In AGGR_NONE, all names include the PMU, unless --metric-only is
 * given. Then, as in perf stat, only a default event's name includes the PMU, and only if
 * @by_core_pmu is true. In modes other than AGGR_NONE, the name includes the PMU if @by_core_pmu is
 * true and --hybrid-merge is not given.
 */
static bool names_pmu(const struct cells *cells, const struct evsel *evsel, bool by_core_pmu)
{
	const struct report_config *config = cells->config;

	if (config->aggr->mode != AGGR_NONE)
		return by_core_pmu && !config->hybrid_merge;
	return !config->metric_only || (by_core_pmu && evsel->is_default);
}

/*
 * Adds the event's name. If the kernel counts the event only partly, for example only in user
 * space, the name also contains the corresponding modifier, such as ":u".
 */
static void add_name(const struct cells *cells, const struct evsel *evsel, struct strbuf *name)
{
	const char *mark = evsel__left_out_mark(evsel, cells->left_out[evsel->idx]);
	const char *pmu = pmu_of(cells, evsel), *terms = strchr(evsel->name, '/');
	bool by_core_pmu = is_named_by_core_pmu(evsel);
	bool unique = names_pmu(cells, evsel, by_core_pmu);

	if (unique && tool_event__is_figure(evsel->tool) && !evsel->name_given && !terms)
		strbuf__addf(name, "%s/%s/", evsel->pmu_name, evsel->name);
	else if (!unique || !pmu || !strncmp(evsel->name, pmu, strlen(pmu))) {
		strbuf__adds(name, evsel->name);
		strbuf__adds(name, mark);
	} else if (terms)
		strbuf__addf(name, "%s%s%s", pmu, terms, mark);
	else if (by_core_pmu)
		strbuf__addf(name, "%s/%s%s/", pmu, evsel->name, mark);
	else
		strbuf__addf(name, "%s%s [%s]", evsel->name, mark, pmu);
}

static enum row_state state_of(const struct cells *cells, int event, const struct cell *cell)
{
	int aggr = (int)(cell - cells__at(cells, event, 0));

	if (cells__is_unsupported(cells, event, aggr / cells->shape.aggrs))
		return ROW_NOT_SUPPORTED;
	return cell->sum.enabled && cell->sum.running ? ROW_COUNTED : ROW_NOT_COUNTED;
}

/*
 * Returns true if the event cannot be counted in this aggregate. With --metric-only, the event's
 * row for such an aggregate has no metrics. If it had any, a metric that pstat computes from a
 * different event on each kind of core would need a column for each of these events.
 */
static bool is_elsewhere(const struct cells *cells, int event, const struct cell *cell)
{
	const struct evsel *evsel = cells->config->evlist->entries[event];

	return (evsel->is_uncore || evsel->cpus_given || evsel->is_core_pmu) && !cell->covered &&
	       cells->config->aggr->mode != AGGR_THREAD;
}

/*
 * Returns whether the event has a row in the aggregate. An uncore event, or an event with the term
 * cpu=, has no row in an aggregate in which it cannot be counted. As in perf stat, other events
 * have a row in each aggregate. For example, an event of one kind of core is <not counted> on other
 * kinds of cores. With --metric-only, however, uncore events and events with the term cpu= also
 * have a row in each aggregate. The exception is AGGR_NONE, in which these events and the events of
 * one kind of core have rows only for the CPUs on which they can be counted.
 */
static bool is_shown(const struct cells *cells, const struct evsel *evsel, const struct cell *cell)
{
	if (cell->hidden || cells->nowhere[evsel->idx])
		return false;
	if (evsel->default_metric)
		return state_of(cells, evsel->idx, cell) == ROW_COUNTED &&
		       metric_set__is_at(cells->config->metrics, evsel);
	if (cell->sum.value)
		return true;
	if (cells->config->aggr->mode == AGGR_THREAD && cells->config->system_wide)
		return false;
	if (tool_event__is_figure(evsel->tool))
		return cell->covered;
	if (tool_event__is_time(evsel->tool))
		return cell->sum.enabled && metric_set__is_at(cells->config->metrics, evsel);
	if (cells->config->metric_only)
		return cells->config->aggr->mode != AGGR_NONE ||
		       !is_elsewhere(cells, evsel->idx, cell);
	return cell->covered || !(evsel->is_uncore || evsel->cpus_given);
}

/*
 * If the subject with the index @number is a thread, BPF program or scope, stores its name and ID
 * in @id. Returns the name of the row's cgroup, or NULL.
 */
static const char *name_subject(const struct cells *cells, const struct evsel *evsel, int number,
				struct aggr_id *id)
{
	const struct subjects *subjects = cells->config->aggr->subjects;
	const struct subject *subject = subjects ? &subjects->list[number] : NULL;

	if (subject && subjects->kind == &subject_cgroup)
		return subject->name;
	if (subject && subjects->kind == &subject_thread) {
		id->tid = subject->tid;
		id->comm = subject->name;
	} else if (subject && subject->name) {
		id->subject_column = subjects->kind->column;
		id->subject_id_column = subjects->kind->id_column;
		id->subject = subject->name;
		id->subject_id = (uint32_t)subject->id;
	}
	if (subject && subject->cgroup)
		return subject->cgroup->name;
	return evsel->cgroup ? evsel->cgroup->name : NULL;
}

int cell__add_row(const struct cells *cells, const struct metric_source *source, int event,
		  int aggr, struct stat_rows *rows)
{
	const struct evsel *evsel = cells->config->evlist->entries[event];
	const struct cell *cell = cells__at(cells, event, aggr);
	struct aggr_id id = cells->config->aggr->ids[aggr % cells->shape.aggrs];
	const char *cgroup = name_subject(cells, evsel, aggr / cells->shape.aggrs, &id);
	struct strbuf name = STRBUF_INIT;
	struct metric_row metrics = { 0 };
	struct stat_row *row = NULL;
	int err;

	if (!is_shown(cells, evsel, cell))
		return 0;
	add_name(cells, evsel, &name);
	if (!strbuf__failed(&name))
		row = stat_rows__add(rows, &id, name.text, evsel->unit, cgroup);
	strbuf__free(&name);
	if (!row)
		return -ENOMEM;
	row->id.percore = evsel->percore && cells->config->aggr->mode == AGGR_NONE &&
			  !cells->config->percore_show_thread;
	row->event_nr = event;
	row->nr_aggr = cell->nr;
	row->state = state_of(cells, event, cell);
	row->value = evsel__count(evsel, cell->sum.value) * evsel->scale;
	row->fraction = floor(evsel->scale) != evsel->scale;
	row->noise = cell->noise;
	row->has_range = cell->has_range && row->state == ROW_COUNTED;
	row->min = cell->min * evsel->scale;
	row->max = cell->max * evsel->scale;
	row->enabled = cell->sum.enabled;
	row->running = cell->sum.running;
	row->no_count = evsel->default_metric && !cells->config->metric_only;
	row->has_runs = cells->counts_runs && evsel->tool != TOOL_RUN_CNT &&
			!tool_event__is_figure(evsel->tool) && !tool_event__is_time(evsel->tool);
	row->runs = cells->counts_runs ? cells->runs[cell - cells->cells] : 0.0;
	row->idle = cells->counts_runs && cells->config->aggr->subjects && row->runs == 0.0;
	metrics.counted = row->state == ROW_COUNTED;
	if (cells->config->metric_only && is_elsewhere(cells, event, cell))
		return 0;
	err = metric__add(source, evsel, aggr, &metrics);
	row->metrics = metrics.metrics;
	row->nr_metrics = metrics.nr;
	return err;
}
