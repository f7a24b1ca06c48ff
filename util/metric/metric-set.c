// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a metric set: metric-choose.c chooses the metrics, then this file adds their events to the
 * evlist.
 */
#include "util/metric/metric-set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/machine/pmu/pmus.h"
#include "util/metric/metric-chosen.h"
#include "util/metric/metric-ids.h"
#include "util/metric/metric-table.h"

/* Names of events, without duplicates. The struct owns the array, but not the names. */
struct names {
	const char **names;
	int nr;
};

static int names__add(struct names *names, const char *name)
{
	const char **bigger;

	for (int i = 0; i < names->nr; i++)
		if (!strcmp(names->names[i], name))
			return 0;
	bigger = realloc(names->names, sizeof(*bigger) * ((size_t)names->nr + 1));
	if (!bigger)
		return -ENOMEM;
	names->names = bigger;
	names->names[names->nr++] = name;
	return 0;
}

static int compare_tools(const void *a, const void *b)
{
	return (int)metric_chosen__tool(*(const char *const *)a) -
	       (int)metric_chosen__tool(*(const char *const *)b);
}

/*
 * Adds the tool events (metric_chosen__is_tool()) of @metric to @names, and sorts @names by enum
 * tool_event, as in perf.
 */
static int collect_tools(const struct metric_chosen *metric, struct names *names)
{
	int err = 0;

	for (int i = 0; !err && i < metric->nr_events; i++)
		if (metric_chosen__is_tool(metric->events[i]))
			err = names__add(names, metric->events[i]);
	if (names->nr)
		qsort(names->names, (size_t)names->nr, sizeof(*names->names), compare_tools);
	return err;
}

/* ---- adding events to the evlist ---- */

static int parse(const struct metric_set_config *config, const struct metric_chosen *metric,
		 const char *text, struct evlist *evlist, struct strbuf *why)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct event_env env = *config->events;
	int err;

	/* pstat's own metrics use generic events, which must be limited to the metric's PMU */
	if (metric->def->own && metric->pmu)
		env.cputype_pmu = metric->pmu;
	err = parse_events(evlist, text, &env, &error);
	if (err == -EINVAL) {
		strbuf__addf(why, "metric %s: its events cannot be counted here\n", metric->label);
		parse_error__format(&error, why);
		while (why->len && why->text[why->len - 1] == '\n')
			why->text[--why->len] = '\0';
	}
	parse_error__free(&error);
	return err;
}

/*
 * Stores in set->names, for each new evsel, the name from which it was parsed. In these evsels,
 * also sets own_metric if @metric is one of pstat's own metrics. Returns 0; -EINVAL, with the
 * reason in @why, if a name stands for several events; or -ENOMEM.
 */
static int note_names(struct metric_set *set, const struct metric_chosen *metric,
		      const struct names *counters, const struct names *tools,
		      const struct evlist *evlist, struct strbuf *why)
{
	const char **names = realloc(set->names, sizeof(*names) * ((size_t)evlist->nr + 1));
	int nr = 0;

	if (!names)
		return -ENOMEM;
	set->names = names;
	for (int i = metric->first; i < metric->end; i++) {
		int at = evlist->entries[i]->ordinal;

		nr = at >= nr ? at + 1 : nr;
		if (at < counters->nr)
			names[i] = counters->names[at];
		else if (at < counters->nr + tools->nr)
			names[i] = tools->names[at - counters->nr];
		evlist->entries[i]->own_metric = metric->def->own;
	}
	if (nr == counters->nr + tools->nr)
		return 0;
	strbuf__addf(why, "metric %s: one of the names in its expression stands for several events",
		     metric->label);
	return -EINVAL;
}

/*
 * Adds the events @counters and @tools to the evlist. Parses them as "{counter,…}:W,tool,…" (a weak
 * group) or, if the metric is not grouped, as "counter,…,tool,…".
 */
static int add_events(const struct metric_set_config *config, struct metric_set *set,
		      struct metric_chosen *metric, const struct names *counters,
		      const struct names *tools, struct evlist *evlist, struct strbuf *why)
{
	struct strbuf text = STRBUF_INIT;
	int err;

	if (counters->nr && metric->grouped)
		strbuf__addc(&text, '{');
	for (int i = 0; i < counters->nr; i++) {
		if (i)
			strbuf__addc(&text, ',');
		metric_chosen__add_event(counters->names[i], metric->modifier, &text);
	}
	if (counters->nr && metric->grouped)
		strbuf__adds(&text, "}:W");
	for (int i = 0; i < tools->nr; i++) {
		if (text.len)
			strbuf__addc(&text, ',');
		metric_chosen__add_event(tools->names[i], NULL, &text);
	}
	metric->first = evlist->nr;
	err = strbuf__failed(&text) ? -ENOMEM : parse(config, metric, text.text, evlist, why);
	metric->end = evlist->nr;
	strbuf__free(&text);
	return err ?: note_names(set, metric, counters, tools, evlist, why);
}

/* ---- matching evsels and events ---- */

static bool is_of_pmu(const struct evsel *evsel, const char *pmu)
{
	return !pmu || !evsel->is_core_pmu || (evsel->pmu_name && !strcmp(evsel->pmu_name, pmu));
}

/*
 * Returns the index of the metric's first evsel for @name, or -1. If metric->pmu is set, ignores
 * evsels that are opened on another core PMU.
 */
static int find_evsel(const struct metric_set *set, const struct metric_chosen *metric,
		      const char *name, const struct evlist *evlist)
{
	for (int i = metric->first; i < metric->end; i++)
		if (!strcmp(set->names[i], name) && is_of_pmu(evlist->entries[i], metric->pmu))
			return i;
	return -1;
}

/*
 * Sets the texts that are printed for the metric. On hybrid machines, the heading contains the PMU,
 * because all core PMUs have metrics with the same names. Returns 0 or -ENOMEM.
 */
static int name_metric(const struct metric_set_config *config, struct metric_chosen *metric,
		       const struct evlist *evlist)
{
	const struct evsel *evsel =
		metric->shown_at == NOT_SHOWN ? NULL : evlist->entries[metric->shown_at];
	struct strbuf text = STRBUF_INIT;

	if (metric->unit)
		strbuf__addf(&text, "%s  ", metric->unit);
	strbuf__adds(&text, metric->label);
	metric->shown_as = strbuf__detach(&text);
	if (config->headings) {
		strbuf__adds(&text, metric->def->heading ?: "");
		if (evsel && evsel->is_core_pmu)
			strbuf__addf(&text, " (%s)", evsel->pmu_name);
		metric->heading = strbuf__detach(&text);
	}
	return metric->shown_as && (metric->heading || !config->headings) ? 0 : -ENOMEM;
}

static int find_evsels(const struct metric_set_config *config, const struct metric_set *set,
		       struct metric_chosen *metric, const struct evlist *evlist,
		       struct strbuf *why)
{
	metric->indices = calloc((size_t)metric->nr_events + 1, sizeof(*metric->indices));
	if (!metric->indices)
		return -ENOMEM;
	metric->shown_at = NOT_SHOWN;
	for (int i = 0; i < metric->nr_events; i++) {
		metric->indices[i] = find_evsel(set, metric, metric->events[i], evlist);
		if (metric->indices[i] < 0) {
			strbuf__addf(why, "metric %s: this machine has no event for %s",
				     metric->label, metric->events[i]);
			return -EINVAL;
		}
		if (metric->shown_at == NOT_SHOWN || metric->indices[i] < metric->shown_at)
			metric->shown_at = metric->indices[i];
	}
	if (metric->shown_at == NOT_SHOWN)
		pr_info("metric %s: not shown: it is a constant on this machine", metric->label);
	return name_metric(config, metric, evlist);
}

/* ---- sharing ---- */

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/*
 * Returns whether the events that were added for @other include all events of @metric, with the
 * same modifier and on the same PMU. Does not check tool events, because add_own() adds the tool
 * events of all metrics to the events of each metric.
 */
static bool can_share(const struct metric_chosen *metric, const struct metric_chosen *other)
{
	if (!other->owns_part || !same_text(metric->modifier, other->modifier) ||
	    !same_text(metric->pmu, other->pmu))
		return false;
	for (int i = 0; i < metric->nr_events; i++) {
		int at = 0;

		while (at < other->nr_events && strcmp(metric->events[i], other->events[at]))
			at++;
		if (at == other->nr_events && !metric_chosen__is_tool(metric->events[i]))
			return false;
	}
	return true;
}

static bool share(struct metric_set *set, struct metric_chosen *metric)
{
	for (struct metric_chosen *other = set->metrics; other < metric; other++) {
		if (can_share(metric, other)) {
			metric->first = other->first;
			metric->end = other->end;
			return true;
		}
	}
	return false;
}

/* Combined metrics share one list of events. Returns whether @metric is one of them. */
static bool is_combined(const struct metric_set_config *config, const struct metric_chosen *metric)
{
	return !config->no_merge && !metric->grouped && !metric->modifier;
}

/* Adds to @counters the events of @ids that are not tool events. */
static int list_counters(const struct metric_ids *ids, struct names *counters)
{
	const char **names = calloc((size_t)metric_ids__nr(ids) + 1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	if (names)
		metric_ids__list(ids, names);
	for (int i = 0; !err && i < metric_ids__nr(ids); i++)
		if (!metric_chosen__is_tool(names[i]))
			err = names__add(counters, names[i]);
	free(names);
	return err;
}

static int add_names(struct metric_ids *ids, const struct names *names)
{
	int err = 0;

	for (int i = 0; !err && i < names->nr; i++)
		err = metric_ids__add(ids, names->names[i]);
	return err;
}

/* Adds the events of all combined metrics (is_combined()) to @ids. Returns 0 or -ENOMEM. */
static int combine(const struct metric_set_config *config, const struct metric_set *set,
		   struct metric_ids *ids)
{
	int err = 0;

	for (int i = 0; i < set->nr; i++)
		for (int j = 0;
		     !err && is_combined(config, &set->metrics[i]) && j < set->metrics[i].nr_events;
		     j++)
			err = metric_ids__add(ids, set->metrics[i].events[j]);
	return err;
}

/* Adds the events of all combined metrics to the evlist, each event once, and then @tools. */
static int add_combined(const struct metric_set_config *config, struct metric_set *set,
			const struct names *tools, struct evlist *evlist, struct strbuf *why)
{
	struct metric_ids *ids = metric_ids__new();
	struct metric_chosen *first = NULL;
	struct names counters = { 0 };
	int err = ids ? combine(config, set, ids) : -ENOMEM;
	bool any = !err && metric_ids__nr(ids);

	/*
	 * add the tool events to `ids` too: they come last in the evlist, but in perf they can
	 * change the order of the other events
	 */
	err = err ?: add_names(ids, tools);
	err = err ?: list_counters(ids, &counters);
	for (int i = 0; !err && any && i < set->nr; i++) {
		struct metric_chosen *metric = &set->metrics[i];

		if (!is_combined(config, metric))
			continue;
		if (!first) {
			first = metric;
			err = add_events(config, set, first, &counters, tools, evlist, why);
		}
		metric->first = first->first;
		metric->end = first->end;
	}
	free(counters.names);
	metric_ids__free(ids);
	return err;
}

/*
 * Adds the events of one metric, unless they have been added for other metrics already. Unless
 * config->no_merge is set, also adds the tool events of all metrics, so that more metrics can share
 * the evsels of this metric. If the metric still has no event (it is a constant), adds
 * duration_time, because a metric can be shown only in the row of an event.
 */
static int add_own(const struct metric_set_config *config, struct metric_set *set,
		   struct metric_chosen *metric, const struct names *all_tools,
		   struct evlist *evlist, struct strbuf *why)
{
	struct names counters = { 0 }, tools = { 0 };
	int err = 0;

	if (metric->first != metric->end || (!config->no_merge && share(set, metric)))
		return 0;
	if (!config->no_merge)
		err = add_names(metric->ids, all_tools);
	if (!err && !metric_ids__nr(metric->ids))
		err = metric_ids__add(metric->ids, "duration_time");
	err = err ?: metric_chosen__list_events(metric);
	err = err ?: list_counters(metric->ids, &counters);
	err = err ?: collect_tools(metric, &tools);
	err = err ?: add_events(config, set, metric, &counters, &tools, evlist, why);
	metric->owns_part = !err;
	free(counters.names);
	free(tools.names);
	return err;
}

static int add_all(const struct metric_set_config *config, struct metric_set *set,
		   struct evlist *evlist, struct strbuf *why)
{
	struct names tools = { 0 };
	int err = 0;

	for (int i = 0; !err && i < set->nr; i++)
		err = collect_tools(&set->metrics[i], &tools);
	if (!config->no_merge)
		err = err ?: add_combined(config, set, &tools, evlist, why);
	if (config->headings)
		metric_choose__sort_defaults(set);
	for (int i = 0; !err && i < set->nr; i++) {
		err = add_own(config, set, &set->metrics[i], &tools, evlist, why);
		err = err ?: find_evsels(config, set, &set->metrics[i], evlist, why);
		err = err ?: metric_chosen__find_operands(&set->metrics[i]);
	}
	free(tools.names);
	return err;
}

int metric_set__new(const struct metric_set_config *config, const char *list, struct evlist *evlist,
		    struct metric_set **result, struct strbuf *why)
{
	struct metric_set *set = calloc(1, sizeof(*set));
	struct metric_set_config own = *config;
	struct event_env env = *config->events;
	int before = evlist->nr, err;

	*result = NULL;
	env.pmus = pmus__new(env.roots);
	own.events = &env;
	own.headings = !strcmp(list, METRIC_GROUP_DEFAULT);
	err = set && env.pmus ? metric_choose(&own, list, set, why) : -ENOMEM;
	err = err ?: add_all(&own, set, evlist, why);
	pmus__free(env.pmus);
	if (err) {
		evlist__truncate(evlist, before);
		metric_set__free(set);
	} else {
		*result = set;
	}
	return err;
}

int metric_set__new_default(const struct metric_set_config *config, struct evlist *evlist,
			    struct metric_set **set, struct strbuf *why)
{
	struct metric_set_config defaults = *config;
	int first = evlist->nr, err;

	defaults.no_group = defaults.no_merge = false;
	defaults.no_threshold = defaults.defaults = true;
	err = metric_set__new(&defaults, METRIC_GROUP_DEFAULT, evlist, set, why);
	for (int i = first; !err && i < evlist->nr; i++)
		evlist->entries[i]->default_metric = true;
	return err == -ENOENT ? 0 : err;
}

int metric_set__join(struct metric_set *set, struct metric_set *more)
{
	size_t nr = (size_t)set->nr + (size_t)more->nr;
	struct metric_chosen *metrics = realloc(set->metrics, sizeof(*metrics) * (nr + 1));

	if (metrics) {
		memcpy(metrics + set->nr, more->metrics, sizeof(*metrics) * (size_t)more->nr);
		set->metrics = metrics;
		set->nr += more->nr;
		more->nr = 0;
	}
	metric_set__free(more);
	return metrics ? 0 : -ENOMEM;
}

void metric_set__free(struct metric_set *set)
{
	if (!set)
		return;
	for (int i = 0; i < set->nr; i++)
		metric_chosen__clear(&set->metrics[i]);
	free(set->metrics);
	free(set->names);
	free(set);
}
