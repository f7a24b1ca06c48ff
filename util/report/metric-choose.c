// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/metric-choose.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/base/decimal.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/lexer.h"
#include "util/event/names.h"
#include "util/event/near-names.h"
#include "util/event/parse-events.h"
#include "util/machine/machine-view.h"
#include "util/machine/pmu.h"
#include "util/machine/pmus.h"
#include "util/report/metric-chosen.h"
#include "util/report/metric-event.h"
#include "util/report/metric-expr.h"
#include "util/report/metric-set.h"
#include "util/report/metric-table.h"

/* Compiling one metric. */
struct chooser {
	const struct metric_set_config *config;
	const struct metric_def *def;
};

/* ---- what an expression may ask ---- */

static const struct metric_def *find_metric(void *ctx, const char *name)
{
	const struct chooser *chooser = ctx;

	return metric_table__find(chooser->config->table, name, chooser->def->pmu);
}

static int find_literal(void *ctx, const char *name, double *value)
{
	const struct chooser *chooser = ctx;

	return machine_view__literal(chooser->config->machine, name, value);
}

static bool has_event(void *ctx, const char *event)
{
	const struct chooser *chooser = ctx;
	struct event_env env = *chooser->config->events;
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf text = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	bool found;

	env.probing = true;
	metric_event__add(event, NULL, &text);
	found = evlist && !strbuf__failed(&text) && !parse_events(evlist, text.text, &env, &error);
	parse_error__free(&error);
	strbuf__free(&text);
	evlist__free(evlist);
	return found;
}

static bool is_cpu(void *ctx, const char *cpuid)
{
	const struct chooser *chooser = ctx;

	return machine_view__is_cpu(chooser->config->machine, cpuid);
}

/* ---- one metric ---- */

static int compile(const struct metric_set_config *config, const struct metric_def *def, bool threshold,
		   struct metric_expr **expr, struct strbuf *why)
{
	struct chooser chooser = { .config = config, .def = def };
	struct metric_env env = {
		.find = find_metric,
		.literal = find_literal,
		.has_event = has_event,
		.is_cpu = is_cpu,
		.ctx = &chooser,
	};
	struct metric_error error = METRIC_ERROR_INIT;
	int err =
		metric_expr__compile(def->name, threshold ? def->threshold : def->expr, threshold, &env, expr, &error);

	if (err == -EINVAL)
		metric_error__format(&error, why);
	metric_error__free(&error);
	return err;
}

static int find_name(char *const *names, int nr, const char *name)
{
	for (int i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

/* The place of @name among the metric's events, where it is put when it was not there; -ENOMEM. */
static int add_event(struct metric_chosen *metric, const char *name)
{
	int at = find_name(metric->events, metric->nr_events, name);
	char **events;

	if (at >= 0)
		return at;
	events = realloc(metric->events, sizeof(*events) * ((size_t)metric->nr_events + 1));
	if (!events)
		return -ENOMEM;
	metric->events = events;
	events[metric->nr_events] = strdup(name);
	if (!events[metric->nr_events])
		return -ENOMEM;
	metric->nr_counters += !metric_event__is_tool(name);
	return metric->nr_events++;
}

/* Of "100%": 100 and "%". Without a figure it is 1 of the whole. */
static int read_scale(struct metric_chosen *metric, const char *text)
{
	size_t len = strspn(text, "0123456789.+-");

	/* 1e3x: the exponent; 1erg: none */
	if ((text[len] | 32) == 'e') {
		size_t digits = len + 1 + strspn(text + len + 1, "+-");

		if (text[digits] >= '0' && text[digits] <= '9')
			len = digits + strspn(text + digits, "0123456789");
	}
	metric->scale = decimal__parse(text, len);
	if (!isfinite(metric->scale)) {
		metric->scale = 1.0;
		len = 0;
	}
	metric->unit = strdup(text + len);
	return metric->unit ? 0 : -ENOMEM;
}

static bool has_watchdog(const struct metric_set_config *config)
{
	uint64_t on;

	return !sysfs__read_u64(config->machine->roots->procfs, "sys/kernel/nmi_watchdog", &on) && on;
}

/* Does the metric's constraint forbid a group while the watchdog is on? */
static bool needs_watchdog_off(const struct metric_set_config *config, const struct metric_def *def)
{
	return def->grouping == METRIC_NO_GROUP_WATCHDOG ||
	       (def->grouping == METRIC_NO_GROUP_THRESHOLD && !config->no_threshold);
}

/* Decides whether the events of @metric become a group. */
static void choose_group(const struct metric_set_config *config, const char *asked, struct metric_chosen *metric)
{
	const struct metric_def *def = metric->def;
	double smt;

	if (config->no_group || metric_names__has(def->no_group_for, asked) || def->grouping == METRIC_NO_GROUP)
		return;
	if (def->grouping == METRIC_NO_GROUP_SMT) {
		metric->grouped = machine_view__literal(config->machine, "#smt_on", &smt) || smt == 0.0;
		return;
	}
	metric->kept_apart = needs_watchdog_off(config, def) && has_watchdog(config);
	metric->grouped = !metric->kept_apart;
	if (metric->kept_apart && !config->quiet)
		log__plain("Not grouping metric %s's events.\n", def->name);
}

/* Prints perf's advice once for all metrics. */
static void advise_on_watchdog(const struct metric_set_config *config, const struct metric_set *set)
{
	bool any = false;

	for (int i = 0; i < set->nr; i++)
		any |= set->metrics[i].kept_apart;
	if (any && !config->quiet)
		log__plain("Try disabling the NMI watchdog to comply NO_NMI_WATCHDOG metric constraint:\n"
			   "    echo 0 > /proc/sys/kernel/nmi_watchdog\n"
			   "    pstat stat ...\n"
			   "    echo 1 > /proc/sys/kernel/nmi_watchdog\n");
}

/* All events of the threshold, or with @known_only none but those that the metric has: else there is no threshold. */
static int add_threshold_events(struct metric_chosen *metric, bool known_only)
{
	int nr = metric_expr__nr_events(metric->threshold);

	metric->threshold_events = calloc((size_t)nr + 1, sizeof(int));
	if (!metric->threshold_events)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		const char *name = metric_expr__event(metric->threshold, i);
		int at = find_name(metric->events, metric->nr_events, name);

		if (at < 0 && known_only) {
			metric_expr__free(metric->threshold);
			metric->threshold = NULL;
			return 0;
		}
		if (at < 0)
			at = add_event(metric, name);
		if (at < 0)
			return at;
		metric->threshold_events[i] = at;
	}
	return 0;
}

/* A metric to be added: its definition, the name and modifier from the user, and the core PMU. */
struct wanted {
	const struct metric_def *def;
	const char *asked;
	const char *modifier; /* NULL without */
	const char *pmu;      /* NULL: any PMU that has the events */
};

static bool set_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return !from || *to;
}

static int make_metric(const struct metric_set_config *config, const struct wanted *wanted,
		       struct metric_chosen *metric, struct strbuf *why)
{
	const struct metric_def *def = wanted->def;
	const char *modifier = wanted->modifier;
	struct strbuf label = STRBUF_INIT;
	int err;

	*metric = (struct metric_chosen){ .def = def, .scale = 1.0 };
	choose_group(config, wanted->asked, metric);
	if (config->defaults)
		metric->heading = def->heading ?: "";
	strbuf__adds(&label, def->name);
	if (modifier)
		strbuf__addf(&label, ":%s", modifier);
	metric->label = strbuf__detach(&label);
	err = set_text(&metric->modifier, modifier) && set_text(&metric->pmu, wanted->pmu) && metric->label ? 0 :
													      -ENOMEM;
	if (!err && def->scale)
		err = read_scale(metric, def->scale);
	err = err ?: compile(config, def, false, &metric->expr, why);
	for (int i = 0; !err && i < metric_expr__nr_events(metric->expr); i++)
		err = add_event(metric, metric_expr__event(metric->expr, i)) < 0 ? -ENOMEM : 0;
	if (!err && def->threshold)
		err = compile(config, def, true, &metric->threshold, why);
	if (!err && metric->threshold)
		err = add_threshold_events(metric, config->no_threshold);
	/* a metric that is a number needs an event to be shown behind */
	if (!err && !metric->nr_events)
		err = add_event(metric, "duration_time") < 0 ? -ENOMEM : 0;
	return err;
}

void metric_chosen__clear(struct metric_chosen *metric)
{
	for (int i = 0; i < metric->nr_events; i++)
		free(metric->events[i]);
	free(metric->events);
	free(metric->threshold_events);
	free(metric->indices);
	free(metric->label);
	free(metric->modifier);
	free(metric->pmu);
	free(metric->unit);
	metric_expr__free(metric->expr);
	metric_expr__free(metric->threshold);
}

/* ---- all of them ---- */

static bool is_meant(const struct metric_def *def, const char *name)
{
	if (!strcmp(name, "all") || !strcasecmp(def->name, name))
		return true;
	return def->groups ? metric_names__has(def->groups, name) : !strcasecmp(name, "No_group");
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ?: "", b ?: "");
}

static bool is_chosen(const struct metric_set *set, const struct wanted *wanted)
{
	for (int i = 0; i < set->nr; i++) {
		const struct metric_chosen *metric = &set->metrics[i];

		if (metric->def == wanted->def && same_text(metric->modifier, wanted->modifier) &&
		    same_text(metric->pmu, wanted->pmu))
			return true;
	}
	return false;
}

static int add_metric(const struct metric_set_config *config, const struct wanted *wanted, struct metric_set *set,
		      struct strbuf *why)
{
	struct metric_chosen *metrics;

	if (is_chosen(set, wanted))
		return 0;
	metrics = realloc(set->metrics, sizeof(*metrics) * ((size_t)set->nr + 1));
	if (!metrics)
		return -ENOMEM;
	set->metrics = metrics;
	return make_metric(config, wanted, &metrics[set->nr++], why);
}

/* ---- metrics of each core PMU ---- */

static bool is_core_event(const char *name)
{
	struct span span = { .s = name, .len = strcspn(name, ":") };
	const struct event_name *row = event_name__find(&span);
	uint64_t config;
	const char *why;

	return row ? row->type == PERF_TYPE_HARDWARE : !cache_name__decode(&span, &config, &why);
}

static bool has_core_events(const struct metric_chosen *metric)
{
	for (int i = 0; i < metric->nr_events; i++)
		if (is_core_event(metric->events[i]))
			return true;
	return false;
}

/*
 * On a hybrid machine, replaces the last metric of @set by one metric for each core PMU. For
 * metrics that have events of core PMUs but do not name a PMU.
 */
static int add_for_core_pmus(const struct metric_set_config *config, struct wanted wanted, struct metric_set *set,
			     struct strbuf *why)
{
	const char *filter = config->events->pmu_filter;
	struct pmus *pmus = pmus__new(config->events->roots);
	int err = pmus ? 0 : -ENOMEM;

	if (pmus && pmus__take_types(pmus)) {
		metric_chosen__clear(&set->metrics[--set->nr]);
		for (int i = 0; !err && i < pmus__nr_core(pmus); i++) {
			wanted.pmu = pmu__name(pmus__get(pmus, i));
			if (!filter || !strcmp(filter, wanted.pmu))
				err = add_metric(config, &wanted, set, why);
		}
	}
	pmus__free(pmus);
	return err;
}

static int add_wanted(const struct metric_set_config *config, const struct wanted *wanted, struct metric_set *set,
		      struct strbuf *why)
{
	int before = set->nr, err = add_metric(config, wanted, set, why);

	if (!err && set->nr > before && !wanted->pmu && has_core_events(&set->metrics[before]))
		err = add_for_core_pmus(config, *wanted, set, why);
	return err;
}

/* Does --cputype leave out the metric, because it is for another PMU? */
static bool is_filtered(const struct metric_set_config *config, const struct metric_def *def)
{
	return config->events->pmu_filter && def->pmu && strcmp(def->pmu, config->events->pmu_filter);
}

/* ---- names ---- */

/* The groups of a metric are offered too. */
static void offer_names(struct near_names *near, const struct metric_table *table, const char *wanted)
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

/* The first line is perf's. */
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
	strbuf__addf(why, "%sRun 'pstat list metrics' for a list of valid metrics", near.nr ? "\n" : "");
	near_names__free(&near);
	return -ENOENT;
}

static int add_named(const struct metric_set_config *config, char *word, struct metric_set *set, struct strbuf *why)
{
	char *name = strsep(&word, ":"), *modifier = word;
	bool found = false;
	int err = 0;

	for (int i = 0; !err && i < metric_table__nr(config->table); i++) {
		const struct metric_def *def = metric_table__get(config->table, i);

		if (!is_meant(def, name) || is_filtered(config, def) || (config->defaults && def->shows_events))
			continue;
		found = true;
		err = add_wanted(config, &(struct wanted){ def, name, modifier, def->pmu }, set, why);
	}
	return found || err ? err : explain_unknown(config->table, name, why);
}

/*
 * Sorts by heading and then by name, both descending: the metrics are shown in the reverse order,
 * as by perf.
 */
static int compare_defaults(const void *a, const void *b)
{
	const struct metric_def *left = ((const struct metric_chosen *)a)->def;
	const struct metric_def *right = ((const struct metric_chosen *)b)->def;

	return strcmp(right->heading ?: "", left->heading ?: "") ?: strcmp(right->name, left->name);
}

/* Who has many events comes first, so that others can share them; of equals the one that was named last, as perf has it. */
static void sort(struct metric_set *set)
{
	for (int i = 0, j = set->nr - 1; i < j; i++, j--) {
		struct metric_chosen swap = set->metrics[i];

		set->metrics[i] = set->metrics[j];
		set->metrics[j] = swap;
	}
	for (int i = 1; i < set->nr; i++) {
		struct metric_chosen metric = set->metrics[i];
		int at = i;

		for (; at && set->metrics[at - 1].nr_counters < metric.nr_counters; at--)
			set->metrics[at] = set->metrics[at - 1];
		set->metrics[at] = metric;
	}
}

int metric_choose(const struct metric_set_config *config, const char *list, struct metric_set *set, struct strbuf *why)
{
	char *words = strdup(list), *rest = words, *word;
	int err = words ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, ",")))
		err = add_named(config, word, set, why);
	free(words);
	if (!err)
		sort(set);
	if (!err && config->defaults)
		qsort(set->metrics, (size_t)set->nr, sizeof(*set->metrics), compare_defaults);
	if (!err)
		advise_on_watchdog(config, set);
	return err;
}
