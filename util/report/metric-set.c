// SPDX-License-Identifier: GPL-2.0-only
/* Second half of making a metric set: events for the metrics that were chosen. */
#include "util/report/metric-set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/report/metric-choose.h"
#include "util/report/metric-chosen.h"
#include "util/report/metric-event.h"
#include "util/report/metric-table.h"

/* The names of tool events that any metric has: each group gets all of them, so that more metrics can share it. */
struct names {
	const char **names; /* not owned */
	int nr;
};

static bool names__has(const struct names *names, const char *name)
{
	for (int i = 0; i < names->nr; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

static int names__add(struct names *names, const char *name)
{
	const char **bigger;

	if (names__has(names, name))
		return 0;
	bigger = realloc(names->names, sizeof(*bigger) * ((size_t)names->nr + 1));
	if (!bigger)
		return -ENOMEM;
	names->names = bigger;
	names->names[names->nr++] = name;
	return 0;
}

static int collect(const struct metric_chosen *metric, bool tools, struct names *names)
{
	int err = 0;

	for (int i = 0; !err && i < metric->nr_events; i++)
		if (metric_event__is_tool(metric->events[i]) == tools)
			err = names__add(names, metric->events[i]);
	return err;
}

/* ---- events into the evlist ---- */

static int parse(const struct metric_set_config *config, const struct metric_chosen *metric, const char *text,
		 struct evlist *evlist, struct strbuf *why)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct event_env env = *config->events;
	int err;

	/*
	 * pstat's own metrics use generic events, so these have to be restricted to the metric's
	 * PMU
	 */
	if (!metric->def->pmu && !metric->def->line && metric->pmu)
		env.pmu_filter = metric->pmu;
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

/* {counter,…}:W,tool,… */
static int add_events(const struct metric_set_config *config, struct metric_chosen *metric,
		      const struct names *counters, const struct names *tools, struct evlist *evlist,
		      struct strbuf *why)
{
	struct strbuf text = STRBUF_INIT;
	int err;

	if (counters->nr && metric->grouped)
		strbuf__addc(&text, '{');
	for (int i = 0; i < counters->nr; i++) {
		if (i)
			strbuf__addc(&text, ',');
		metric_event__add(counters->names[i], metric->modifier, &text);
	}
	if (counters->nr && metric->grouped)
		strbuf__adds(&text, "}:W");
	for (int i = 0; i < tools->nr; i++) {
		if (text.len)
			strbuf__addc(&text, ',');
		metric_event__add(tools->names[i], NULL, &text);
	}
	metric->first = evlist->nr;
	err = strbuf__failed(&text) ? -ENOMEM : parse(config, metric, text.text, evlist, why);
	metric->end = evlist->nr;
	strbuf__free(&text);
	return err;
}

/* ---- which evsel is which event ---- */

static bool same_event(const struct evsel *a, const struct evsel *b)
{
	return a->tool == b->tool && !strcmp(a->name, b->name) && !memcmp(&a->attr, &b->attr, sizeof(a->attr));
}

static bool is_of_pmu(const struct evsel *evsel, const char *pmu)
{
	return !pmu || !evsel->is_core_pmu || (evsel->pmu_name && !strcmp(evsel->pmu_name, pmu));
}

/* The evsel from @first on that @name stands for: what it is when it stands alone, and of the metric's PMU. -1: none. */
static int find_evsel(const struct metric_set_config *config, const struct metric_chosen *metric, const char *name,
		      const struct evlist *evlist)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf text = STRBUF_INIT;
	struct evlist *alone = evlist__new();
	int found = -1;

	metric_event__add(name, metric->modifier, &text);
	if (alone && !strbuf__failed(&text) && !parse_events(alone, text.text, config->events, &error))
		for (int i = 0; found < 0 && i < alone->nr; i++)
			for (int at = metric->first; found < 0 && at < metric->end; at++)
				if (is_of_pmu(alone->entries[i], metric->pmu) &&
				    same_event(alone->entries[i], evlist->entries[at]))
					found = at;
	parse_error__free(&error);
	strbuf__free(&text);
	evlist__free(alone);
	return found;
}

static int find_evsels(const struct metric_set_config *config, struct metric_chosen *metric,
		       const struct evlist *evlist, struct strbuf *why)
{
	metric->indices = calloc((size_t)metric->nr_events + 1, sizeof(*metric->indices));
	if (!metric->indices)
		return -ENOMEM;
	metric->shown_at = metric->end;
	for (int i = 0; i < metric->nr_events; i++) {
		metric->indices[i] = find_evsel(config, metric, metric->events[i], evlist);
		if (metric->indices[i] < 0) {
			strbuf__addf(why, "metric %s: no event of this machine is its %s", metric->label,
				     metric->events[i]);
			return -EINVAL;
		}
		if (metric->indices[i] < metric->shown_at)
			metric->shown_at = metric->indices[i];
	}
	return 0;
}

/* ---- sharing ---- */

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Has the group of @other all events of @metric? Tool events it has. */
static bool can_share(const struct metric_chosen *metric, const struct metric_chosen *other)
{
	if (other->first == other->end || !same_text(metric->modifier, other->modifier) ||
	    !same_text(metric->pmu, other->pmu))
		return false;
	for (int i = 0; i < metric->nr_events; i++) {
		int at = 0;

		while (at < other->nr_events && strcmp(metric->events[i], other->events[at]))
			at++;
		if (at == other->nr_events && !metric_event__is_tool(metric->events[i]))
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

static bool is_combined(const struct metric_set_config *config, const struct metric_chosen *metric)
{
	return !config->no_merge && !metric->grouped && !metric->modifier;
}

/* The events of all metrics that need no group of theirs, each once. */
static int add_combined(const struct metric_set_config *config, struct metric_set *set, const struct names *tools,
			struct evlist *evlist, struct strbuf *why)
{
	struct metric_chosen *first = NULL;
	struct names counters = { 0 };
	int err = 0;

	for (int i = 0; !err && i < set->nr; i++) {
		if (!is_combined(config, &set->metrics[i]))
			continue;
		first = first ?: &set->metrics[i];
		err = collect(&set->metrics[i], false, &counters);
	}
	if (!err && first)
		err = add_events(config, first, &counters, tools, evlist, why);
	for (int i = 0; !err && first && i < set->nr; i++) {
		if (is_combined(config, &set->metrics[i])) {
			set->metrics[i].first = first->first;
			set->metrics[i].end = first->end;
		}
	}
	free(counters.names);
	return err;
}

static int add_own(const struct metric_set_config *config, struct metric_set *set, struct metric_chosen *metric,
		   const struct names *all_tools, struct evlist *evlist, struct strbuf *why)
{
	struct names counters = { 0 }, tools = { 0 };
	int err;

	if (metric->first != metric->end || (!config->no_merge && share(set, metric)))
		return 0;
	err = collect(metric, false, &counters);
	if (!err && config->no_merge)
		err = collect(metric, true, &tools);
	err = err ?: add_events(config, metric, &counters, config->no_merge ? &tools : all_tools, evlist, why);
	free(counters.names);
	free(tools.names);
	return err;
}

static int add_all(const struct metric_set_config *config, struct metric_set *set, struct evlist *evlist,
		   struct strbuf *why)
{
	struct names tools = { 0 };
	int err = 0;

	for (int i = 0; !err && i < set->nr; i++)
		err = collect(&set->metrics[i], true, &tools);
	err = err ?: add_combined(config, set, &tools, evlist, why);
	for (int i = 0; !err && i < set->nr; i++) {
		err = add_own(config, set, &set->metrics[i], &tools, evlist, why);
		err = err ?: find_evsels(config, &set->metrics[i], evlist, why);
	}
	free(tools.names);
	return err;
}

int metric_set__new(const struct metric_set_config *config, const char *list, struct evlist *evlist,
		    struct metric_set **result, struct strbuf *why)
{
	struct metric_set *set = calloc(1, sizeof(*set));
	int before = evlist->nr, err;

	*result = NULL;
	if (!set)
		return -ENOMEM;
	err = metric_choose(config, list, set, why);
	err = err ?: add_all(config, set, evlist, why);
	if (err) {
		evlist__truncate(evlist, before);
		metric_set__free(set);
	} else {
		*result = set;
	}
	return err;
}

int metric_set__new_default(const struct metric_set_config *config, struct evlist *evlist, struct metric_set **set,
			    struct strbuf *why)
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
	free(set);
}
