// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-chosen.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/event/lexer.h"
#include "util/event/names.h"
#include "util/base/near-names.h"
#include "util/event/parse-events.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"
#include "util/metric/metric-set.h"
#include "util/metric/metric-table.h"

/* ---- the definitions for a name ---- */

static bool is_meant(const struct metric_def *def, const char *name)
{
	if (!strcmp(name, "all") || !strcasecmp(def->name, name))
		return true;
	return def->groups ? metric_table__list_has(def->groups, name) :
			     !strcasecmp(name, "No_group");
}

static int add_metric(const struct metric_set_config *config, const struct metric_wanted *wanted,
		      struct metric_set *set, struct strbuf *why)
{
	struct metric_chosen *metrics;

	metrics = realloc(set->metrics, sizeof(*metrics) * ((size_t)set->nr + 1));
	if (!metrics)
		return -ENOMEM;
	set->metrics = metrics;
	return metric_chosen__make(config, wanted, &metrics[set->nr++], why);
}

/* ---- metrics of each core PMU ---- */

static bool is_core_event(const char *name)
{
	struct span span = { .s = name, .len = strcspn(name, ":") };
	const struct event_name *row = event_name__find(&span);
	uint64_t config;
	const char *why;

	return row ? row->type == PERF_TYPE_HARDWARE :
		     !event_name__decode_cache(&span, &config, &why);
}

static bool has_core_events(const struct metric_chosen *metric)
{
	for (int i = 0; i < metric->nr_events; i++)
		if (is_core_event(metric->events[i]))
			return true;
	return false;
}

/*
 * Replaces the last metric of @set, which must have generic events and must not name a PMU, with
 * one metric for each core PMU. With --cputype, adds only the metric for the PMU that this option
 * names. Does nothing if generic events cannot be limited to one core PMU (pmus__take_types()).
 */
static int add_for_core_pmus(const struct metric_set_config *config, struct metric_wanted wanted,
			     struct metric_set *set, struct strbuf *why)
{
	const char *filter = config->events->cputype_pmu;
	struct pmus *pmus = config->events->pmus;
	int err = 0;

	if (!pmus__take_types(pmus))
		return 0;
	metric_chosen__clear(&set->metrics[--set->nr]);
	for (int i = 0; !err && i < pmus__nr_core(pmus); i++) {
		wanted.pmu = pmu__name(pmus__get(pmus, i));
		if (!filter || !strcmp(filter, wanted.pmu))
			err = add_metric(config, &wanted, set, why);
	}
	return err;
}

static int add_wanted(const struct metric_set_config *config, const struct metric_wanted *wanted,
		      struct metric_set *set, struct strbuf *why)
{
	int before = set->nr, err = add_metric(config, wanted, set, why);
	/*
	 * as in perf, a vendor's metric that names no PMU is added only once: its events belong to
	 * the first PMU that has them
	 */
	bool of_vendor = !wanted->def->own && !wanted->def->of_file;

	if (!err && !of_vendor && !wanted->pmu && has_core_events(&set->metrics[before]))
		err = add_for_core_pmus(config, *wanted, set, why);
	return err;
}

/* Returns true if the metric is for a different PMU than the one that --cputype names. */
static bool is_filtered(const struct metric_set_config *config, const struct metric_def *def)
{
	return config->events->cputype_pmu && def->pmu &&
	       strcmp(def->pmu, config->events->cputype_pmu);
}

/* ---- names ---- */

/* Offers the names of all metrics and groups of metrics to @near, as replacements for @wanted. */
static void offer_names(struct near_names *near, const struct metric_table *table,
			const char *wanted)
{
	for (int i = 0; i < metric_table__nr(table); i++) {
		const struct metric_def *def = metric_table__get(table, i);
		char *groups = strdup(def->groups ?: ""), *rest = groups, *group;

		near_names__offer(near, wanted, def->name);
		while ((group = strsep(&rest, "; \t\n")))
			near_names__offer(near, wanted, group);
		free(groups);
	}
}

/* Adds a message to @why. Its first line is the same as in perf. Returns -ENOENT. */
static int explain_unknown(const struct metric_table *table, const char *name, struct strbuf *why)
{
	struct near_names near = { 0 };

	strbuf__adds(why, "Cannot find metric or group `");
	strbuf__add_clean(why, name);
	strbuf__adds(why, "'\n");
	offer_names(&near, table, name);
	for (int i = 0; i < near.nr; i++) {
		strbuf__adds(why, i ? ", " : "did you mean: ");
		strbuf__add_clean(why, near.names[i]);
	}
	strbuf__addf(why, "%sRun 'pstat list metrics' for a list of valid metrics",
		     near.nr ? "\n" : "");
	near_names__free(&near);
	return -ENOENT;
}

/*
 * Compares definitions, to sort them in the order of perf's tables
 * (tools/perf/pmu-events/jevents.py). In these tables, metrics without a PMU have the PMU
 * default_core.
 */
static int compare_defs(const void *a, const void *b)
{
	const struct metric_def *left = *(const struct metric_def *const *)a;
	const struct metric_def *right = *(const struct metric_def *const *)b;

	return strcmp(left->pmu ?: "default_core", right->pmu ?: "default_core") ?:
		       strcmp(left->name, right->name);
}

/*
 * @defs are the definitions of the metric or group @name. If any of them comes from the vendor or
 * from a user's file, removes pstat's own metrics, except a metric with the name @name. So a
 * vendor's group has the same metrics as in perf. Returns the number of remaining definitions.
 */
static int drop_own(const char *name, const struct metric_def **defs, int nr)
{
	int nr_own = 0, left = 0;

	for (int i = 0; i < nr; i++)
		nr_own += defs[i]->own;
	if (nr_own == nr)
		return nr;
	for (int i = 0; i < nr; i++)
		if (!defs[i]->own || !strcasecmp(defs[i]->name, name))
			defs[left++] = defs[i];
	return left;
}

/*
 * Stores the definitions of the metric or group @name in *@defs, without those that @config
 * excludes. The caller must free *@defs. Returns the number of definitions, or -ENOMEM.
 */
static int find_defs(const struct metric_set_config *config, const char *name,
		     const struct metric_def ***defs)
{
	int nr = 0;

	*defs = calloc((size_t)metric_table__nr(config->table) + 1, sizeof(**defs));
	if (!*defs)
		return -ENOMEM;
	for (int i = 0; i < metric_table__nr(config->table); i++) {
		const struct metric_def *def = metric_table__get(config->table, i);

		if (is_meant(def, name) && !is_filtered(config, def) &&
		    !(config->defaults && def->shows_events))
			(*defs)[nr++] = def;
	}
	nr = drop_own(name, *defs, nr);
	qsort(*defs, (size_t)nr, sizeof(**defs), compare_defs);
	return nr;
}

static int add_named(const struct metric_set_config *config, char *word, struct metric_set *set,
		     struct strbuf *why)
{
	char *name = strsep(&word, ":"), *modifier = word;
	const struct metric_def **defs;
	int nr = find_defs(config, name, &defs), err = nr < 0 ? nr : 0;

	for (int i = 0; !err && i < nr; i++)
		err = add_wanted(config,
				 &(struct metric_wanted){ defs[i], name, modifier, defs[i]->pmu },
				 set, why);
	free(defs);
	return nr ? err : explain_unknown(config->table, name, why);
}

/* ---- the order in which events are added ---- */

/* Sorts the metrics of @set. The sort is stable, as in perf. */
static void sort(struct metric_set *set,
		 int (*compare)(const struct metric_chosen *, const struct metric_chosen *))
{
	for (int i = 1; i < set->nr; i++) {
		struct metric_chosen metric = set->metrics[i];
		int at = i;

		for (; at && compare(&set->metrics[at - 1], &metric) > 0; at--)
			set->metrics[at] = set->metrics[at - 1];
		set->metrics[at] = metric;
	}
}

static int compare_sizes(const struct metric_chosen *left, const struct metric_chosen *right)
{
	return right->nr_counters - left->nr_counters;
}

/*
 * Sorts the metrics by their number of events (without tool events), in descending order, so that
 * metrics with fewer events can share the events of metrics that come before them. If several
 * metrics have the same number of events, the metric that was added last comes first, as in perf.
 */
static void sort_by_size(struct metric_set *set)
{
	for (int i = 0, j = set->nr - 1; i < j; i++, j--) {
		struct metric_chosen swap = set->metrics[i];

		set->metrics[i] = set->metrics[j];
		set->metrics[j] = swap;
	}
	sort(set, compare_sizes);
}

/*
 * Compares metrics to sort them by heading and then by name, both in descending order, because the
 * metrics of a set are shown in reverse order, as in perf.
 */
static int compare_headings(const struct metric_chosen *left, const struct metric_chosen *right)
{
	return strcmp(right->def->heading ?: "", left->def->heading ?: "") ?:
		       strcmp(right->def->name, left->def->name);
}

void metric_choose__sort_defaults(struct metric_set *set)
{
	sort(set, compare_headings);
}

/*
 * If the events of any metric are not grouped because of the NMI watchdog, prints perf's advice to
 * disable the watchdog.
 */
static void advise_on_watchdog(const struct metric_set *set)
{
	bool any = false;

	for (int i = 0; i < set->nr; i++)
		any |= set->metrics[i].kept_apart;
	if (any)
		log__plain("Try disabling the NMI watchdog to comply NO_NMI_WATCHDOG metric "
			   "constraint:\n"
			   "    echo 0 > /proc/sys/kernel/nmi_watchdog\n"
			   "    pstat stat ...\n"
			   "    echo 1 > /proc/sys/kernel/nmi_watchdog\n");
}

int metric_choose(const struct metric_set_config *config, const char *list, struct metric_set *set,
		  struct strbuf *why)
{
	char *words = strdup(list), *rest = words, *word;
	int err = words ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, ",")))
		err = add_named(config, word, set, why);
	free(words);
	if (err)
		return err;
	sort_by_size(set);
	advise_on_watchdog(set);
	return 0;
}
