// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/export/export-report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/hist-counts.h"
#include "util/count/measurement.h"
#include "util/count/subjects.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/report/aggr.h"
#include "util/report/cells.h"
#include "util/report/export/export-priv.h"
#include "util/report/export/metric-name.h"
#include "util/report/report.h"

struct export_report *export_report__new(const struct export_config *config)
{
	struct export_report *er = calloc(1, sizeof(*er));
	size_t events = (size_t)config->evlist->nr;

	if (!er)
		return NULL;
	er->config = *config;
	/* one total for each event, and one for the number of runs */
	er->totals = export_totals__new((int)events + 1, config->top);
	er->times = calloc(events + 1, sizeof(*er->times));
	er->events = calloc(events + 1, sizeof(*er->events));
	er->names = string_set__new();
	if (er->totals && er->times && er->events && er->names && !export_own__init(er))
		return er;
	export_report__free(er);
	return NULL;
}

static void free_cpus(struct export_report *er)
{
	for (int i = 0; i < er->nr_cpus; i++)
		free(er->cpu_labels[i]);
	free(er->cpu_labels);
}

void export_report__free(struct export_report *er)
{
	if (!er)
		return;
	for (int i = 0; er->events && i < er->config.evlist->nr; i++)
		strbuf__free(&er->events[i].up);
	free_cpus(er);
	export_own__free(er);
	export_hist__free(er);
	export_subjects__free(&er->subjects);
	export_totals__free(er->totals);
	string_set__free(er->names);
	free(er->times);
	free(er->place_times);
	free(er->events);
	free(er);
}

/* ---- names ---- */

/* Returns whether a metric has the name @name, or one that differs only by a suffix ("_total"). */
static bool is_used(const struct export_report *er, const char *name)
{
	for (int i = 0; i < er->config.evlist->nr; i++) {
		const char *other = er->events[i].name;

		if (other &&
		    (metric_name__extends(name, other) || metric_name__extends(other, name)))
			return true;
	}
	if (er->has_subjects && (metric_name__extends(name, er->runs_name) ||
				 metric_name__extends(er->runs_name, name)))
		return true;
	return export_own__has_name(name);
}

/* Returns whether an event already has the full name @text. */
static bool is_labelled(const struct export_report *er, const char *text)
{
	for (int i = 0; i < er->config.evlist->nr; i++)
		if (er->events[i].full && !strcmp(er->events[i].full, text))
			return true;
	return false;
}

static const char *name_event(const struct export_report *er, const char *prefix,
			      const struct evsel *evsel, unsigned int left_out)
{
	struct strbuf name = STRBUF_INIT;
	const char *kept;

	for (int nr = 1;; nr++) {
		strbuf__reset(&name);
		metric_name__add(&name, prefix, evsel, left_out, nr);
		if (strbuf__failed(&name) || !is_used(er, name.text))
			break;
	}
	kept = strbuf__failed(&name) ? NULL : string_set__get(er->names, name.text);
	strbuf__free(&name);
	return kept;
}

static const char *format(const struct export_report *er, const char *prefix, const char *text)
{
	struct strbuf sb = STRBUF_INIT;
	const char *kept;

	strbuf__addf(&sb, "%s%s", prefix, text);
	kept = strbuf__failed(&sb) ? NULL : string_set__get(er->names, sb.text);
	strbuf__free(&sb);
	return kept;
}

/* Histograms contain the counts of single runs, so "run_" follows the prefix of their names. */
static const char *name_hist(const struct export_report *er, const char *prefix,
			     const struct evsel *evsel)
{
	struct strbuf of_runs = STRBUF_INIT;
	const char *name;

	strbuf__addf(&of_runs, "%srun_", prefix);
	name = name_event(er, of_runs.text, evsel, 0);
	strbuf__free(&of_runs);
	return name;
}

static const char *label_event(const struct export_report *er, const char *name)
{
	struct strbuf sb = STRBUF_INIT;
	const char *kept;

	metric_labels__add(&sb, "event", name);
	kept = strbuf__failed(&sb) ? NULL : string_set__get(er->names, sb.text);
	strbuf__free(&sb);
	return kept;
}

/* Returns whether pstat itself measures the event, with one value for all subjects and CPUs. */
static bool is_of_session(const struct export_report *er, const struct evsel *evsel)
{
	return tool_event__is_of_session(evsel->tool) &&
	       !(er->by_cpu && evsel->tool != TOOL_DURATION_TIME &&
		 tool_event__is_time(evsel->tool));
}

/* Makes the value of the label "event". Adds a number if another event already has this name. */
static const char *full_name(const struct export_report *er, const struct evsel *evsel,
			     unsigned int left_out)
{
	const char *mark = evsel__left_out_mark(evsel, left_out), *kept;
	struct strbuf full = STRBUF_INIT;

	strbuf__addf(&full, "%s%s", evsel->name, mark);
	for (int nr = 2; !strbuf__failed(&full) && is_labelled(er, full.text); nr++) {
		strbuf__reset(&full);
		strbuf__addf(&full, "%s%s_%d", evsel->name, mark, nr);
	}
	kept = strbuf__failed(&full) ? NULL : string_set__get(er->names, full.text);
	strbuf__free(&full);
	return kept;
}

/*
 * Makes the names and labels of the events, with a modifier such as "u" if an event is only partly
 * counted. Call this after the first reading, because counts.left_out is not known until then.
 */
static int name_events(struct export_report *er, const struct measurement *m)
{
	const char *prefix = er->by_cpu ? "pstat_cpu_" : export_subjects__prefix(m->subjects);

	er->runs_name = format(er, prefix, "runs");
	for (int i = 0; i < m->nr; i++) {
		const struct evsel *evsel = er->config.evlist->entries[i];
		const struct counts *counts = m->events[i];
		unsigned int left_out = counts->open_err ? 0 : counts->left_out;
		struct export_event *event = &er->events[i];

		event->up = (struct strbuf)STRBUF_INIT;
		if (evsel->merged) /* its counts are in another event's samples */
			continue;
		event->unit = metric_unit__of(evsel);
		event->name = name_event(er, is_of_session(er, evsel) ? "pstat_" : prefix, evsel,
					 left_out);
		event->full = full_name(er, evsel, left_out);
		if (!event->name || !event->full)
			return -ENOMEM;
		event->help = format(er, "The event ", event->full);
		event->labels = label_event(er, event->full);
		if (!event->help || !event->labels)
			return -ENOMEM;
	}
	if (m->hist)
		er->hist_name = name_hist(er, prefix, m->hist->evsel);
	er->has_names = true;
	return er->runs_name && (er->hist_name || !m->hist) ? 0 : -ENOMEM;
}

/* ---- places: subjects, CPUs, or a single place (see export-totals.h) ---- */

/* Makes the labels of the CPUs. Returns 0 or -ENOMEM. */
static int label_cpus(struct export_report *er, const struct aggr_map *aggr)
{
	char **labels;

	if (er->nr_cpus >= aggr->nr)
		return 0;
	labels = reallocarray(er->cpu_labels, (size_t)aggr->nr, sizeof(*labels));
	if (!labels)
		return -ENOMEM;
	er->cpu_labels = labels;
	for (; er->nr_cpus < aggr->nr; er->nr_cpus++)
		if (asprintf(&labels[er->nr_cpus], "cpu=\"%d\"", aggr->ids[er->nr_cpus].cpu) < 0)
			return -ENOMEM;
	return 0;
}

/* Returns the labels of a place, or NULL if its samples are not exported. */
static const char *labels_of(const struct export_report *er, int place)
{
	if (er->by_cpu)
		return er->cpu_labels[place];
	if (!er->has_subjects)
		return "";
	if (!er->subjects.list[place].is_live || !export_totals__is_chosen(er->totals, place))
		return NULL;
	return er->subjects.list[place].labels;
}

/* Returns the times of a place as an array [event]. */
static struct export_times *times_of(const struct export_report *er, int place)
{
	return er->place_times + (size_t)place * (size_t)er->config.evlist->nr;
}

static int grow_times(struct export_report *er)
{
	size_t size = sizeof(*er->place_times) * (size_t)er->config.evlist->nr;
	struct export_times *times;

	if (er->nr_place_times >= er->nr_places)
		return 0;
	times = reallocarray(er->place_times, (size_t)er->nr_places, size);
	if (!times)
		return -ENOMEM;
	er->place_times = times;
	memset(times_of(er, er->nr_place_times), 0,
	       size * (size_t)(er->nr_places - er->nr_place_times));
	er->nr_place_times = er->nr_places;
	return 0;
}

/* Restarts the totals of a place that has a new subject. */
static void restart(struct export_report *er, int place, bool continues)
{
	export_totals__restart(er->totals, place, continues);
	if (!continues)
		memset(times_of(er, place), 0,
		       sizeof(*er->place_times) * (size_t)er->config.evlist->nr);
}

static int take_places(struct export_report *er, const struct measurement *m)
{
	const struct cells *cells = er->cells;
	int err = 0;

	er->has_subjects = m->subjects != NULL;
	er->by_cpu = !m->subjects && cells->config->aggr->mode == AGGR_NONE;
	er->nr_places = m->subjects ? m->subjects->nr : cells->nr_aggr;
	if (er->has_subjects)
		err = export_subjects__update(&er->subjects, m->subjects, &er->config);
	if (er->by_cpu)
		err = label_cpus(er, cells->config->aggr);
	err = err ?: export_totals__grow(er->totals, er->nr_places);
	err = err ?: grow_times(er);
	for (int i = 0; !err && er->has_subjects && i < er->nr_places; i++)
		if (er->subjects.list[i].is_new)
			restart(er, i, er->subjects.list[i].continues);
	return err;
}

/* ---- counts ---- */

/*
 * Returns whether the event has a sample for the place. An event that was enabled, but never had a
 * counter, has none. If an event was never enabled, its count is exactly 0, because no task of the
 * subject has run. This 0 is exported, because Prometheus's rate() misses the first increase of a
 * series that does not begin at 0. If the places are CPUs, however, such an event has no sample.
 */
static bool is_counted(const struct export_report *er, int event, int place)
{
	const struct cell *cell = cells__at(er->cells, event, place);

	if (cell->hidden || er->cells->nowhere[event] ||
	    cells__is_unsupported(er->cells, event, place))
		return false;
	return cell->sum.running || (!cell->sum.enabled && !er->by_cpu);
}

/* Returns the event by which places are ranked: the first open event that is not a gauge, or -1. */
static int event_to_compare(const struct measurement *m)
{
	for (int i = 0; i < m->nr; i++)
		if (!m->events[i]->open_err && !m->events[i]->evsel->snapshot)
			return i;
	return -1;
}

static void choose(struct export_report *er, const struct measurement *m)
{
	int event = event_to_compare(m);

	for (int place = 0; place < er->nr_places; place++) {
		uint64_t count = event < 0 ? 0 : cells__at(er->cells, event, place)->sum.value;

		export_totals__rank(er->totals, place, event < 0 ? 0 : event, count,
				    er->subjects.list[place].is_live);
	}
	export_totals__choose(er->totals, m->time_ns - er->chosen_ns);
	er->chosen_ns = m->time_ns;
}

static uint64_t runs_of(const struct counts *runs, int column)
{
	uint64_t sum = 0;

	for (int row = 0; row < runs->cpus->nr; row++)
		sum += counts__total(runs, row, column).value;
	return sum;
}

/* Adds the increase since the previous reading. A time that has decreased has restarted at 0. */
static void add_time(uint64_t *sum, uint64_t *last, uint64_t now)
{
	*sum += now < *last ? now : now - *last;
	*last = now;
}

static void add_up(struct export_report *er, const struct measurement *m)
{
	for (int event = 0; event < m->nr; event++) {
		struct export_times *times = &er->times[event];

		for (int place = 0; place < er->nr_places; place++) {
			const struct reading *sum = &cells__at(er->cells, event, place)->sum;
			struct export_times *last = times_of(er, place) + event;

			export_totals__set(er->totals, place, event, sum->value);
			add_time(&times->enabled, &last->enabled, sum->enabled);
			add_time(&times->running, &last->running, sum->running);
		}
	}
	for (int place = 0; m->run_cnt && place < er->nr_places; place++)
		export_totals__set(er->totals, place, m->nr, runs_of(m->run_cnt, place));
}

static void add_value(const struct export_report *er, const struct export_event *event,
		      const char *labels, uint64_t count, struct metric_page *page)
{
	const struct evsel *evsel = er->config.evlist->entries[event - er->events];

	if (event->unit.value == VALUE_NUMBER)
		metric_page__add_number(page, labels,
					evsel__count(evsel, count) * event->unit.factor);
	else
		metric_page__add_count(page, labels, count);
}

static void add_event(struct export_report *er, int nr, struct metric_page *page)
{
	const struct export_event *event = &er->events[nr];
	const struct evsel *evsel = er->config.evlist->entries[nr];
	const struct metric_family family = {
		.name = event->name,
		.help = event->help,
		.unit = event->unit.name,
		.type = evsel->snapshot ? METRIC_GAUGE : METRIC_COUNTER,
		.value = event->unit.value,
	};

	metric_page__begin(page, &family);
	if (is_of_session(er, evsel)) {
		if (is_counted(er, nr, 0))
			add_value(er, event, "", cells__at(er->cells, nr, 0)->sum.value, page);
		return;
	}
	for (int place = 0; place < er->nr_places; place++) {
		const char *labels = labels_of(er, place);
		uint64_t count = evsel->snapshot ? cells__at(er->cells, nr, place)->sum.value :
						   export_totals__get(er->totals, place, nr);

		if (labels && is_counted(er, nr, place))
			add_value(er, event, labels, count, page);
	}
	/* a gauge has no remainder, because its values cannot be added up */
	if (er->config.top && er->has_subjects && !evsel->snapshot &&
	    !cells__is_unsupported(er->cells, nr, 0))
		add_value(er, event, er->other, export_totals__rest(er->totals, nr), page);
}

static void add_runs(struct export_report *er, const struct measurement *m,
		     struct metric_page *page)
{
	const struct metric_family family = { .name = er->runs_name,
					      .help = "Runs that were counted",
					      .unit = "" };

	metric_page__begin(page, &family);
	for (int place = 0; place < er->nr_places; place++) {
		const char *labels = labels_of(er, place);

		if (labels)
			metric_page__add_count(page, labels,
					       export_totals__get(er->totals, place, m->nr));
	}
	if (er->config.top && er->has_subjects)
		metric_page__add_count(page, er->other, export_totals__rest(er->totals, m->nr));
}

int export_report__build(struct export_report *er, const struct measurement *m,
			 const struct export_own *own, struct metric_page *page)
{
	int err = report__totals(er->config.report, m, &er->cells);

	metric_page__reset(page);
	err = err ?: take_places(er, m);
	if (!err && !er->has_names)
		err = name_events(er, m);
	if (err)
		return err;
	er->other = export_subjects__other(m->subjects);
	if (er->config.top && er->has_subjects)
		choose(er, m);
	add_up(er, m);
	for (int i = 0; i < m->nr; i++)
		if (!er->config.evlist->entries[i]->merged)
			add_event(er, i, page);
	if (m->run_cnt)
		add_runs(er, m, page);
	if (m->hist && er->has_subjects)
		err = export_hist__add(er, m, page);
	export_own__add(er, m, own, page);
	return err ?: page->failed ? -ENOMEM : 0;
}
