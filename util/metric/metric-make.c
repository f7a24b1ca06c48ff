// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric-chosen.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/decimal.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/lexer.h"
#include "util/event/names.h"
#include "util/event/parse-events.h"
#include "util/machine/machine-view.h"
#include "util/metric/metric-expr.h"
#include "util/metric/metric-ids.h"
#include "util/metric/metric-set.h"
#include "util/metric/metric-table.h"

/* ---- names of events ---- */

enum tool_event metric_chosen__tool(const char *name)
{
	struct span span = { .s = name, .len = strlen(name) };
	const struct event_name *row = event_name__find(&span);

	return row ? row->tool : TOOL_NONE;
}

bool metric_chosen__is_tool(const char *name)
{
	return metric_chosen__tool(name) != TOOL_NONE;
}

void metric_chosen__add_event(const char *name, const char *modifier, struct strbuf *text)
{
	const char *first = strchr(name, '@'), *last = strrchr(name, '@'), *rest = name;

	if (first && first != last) {
		strbuf__add(text, name, (size_t)(first - name));
		strbuf__addc(text, '/');
		strbuf__add(text, first + 1, (size_t)(last - first - 1));
		strbuf__addc(text, '/');
		rest = last + 1;
	}
	strbuf__adds(text, rest);
	if (!modifier || metric_chosen__is_tool(name))
		return;
	if (!strchr(rest, ':') && rest == name)
		strbuf__addc(text, ':');
	strbuf__adds(text, modifier);
}

/* The context (metric_env.ctx) for compiling one metric. */
struct chooser {
	const struct metric_set_config *config;
	const struct metric_def *def;
};

/* ---- functions for expressions ---- */

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
	metric_chosen__add_event(event, NULL, &text);
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

static int compile(const struct metric_set_config *config, const struct metric_def *def,
		   bool threshold, struct metric_expr **expr, struct strbuf *why)
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
	int err = metric_expr__compile(def->name, threshold ? def->threshold : def->expr, threshold,
				       &env, expr, &error);

	if (err == -EINVAL)
		metric_error__format(&error, why);
	metric_error__free(&error);
	return err;
}

/* ---- events ---- */

int metric_chosen__list_events(struct metric_chosen *metric)
{
	int nr = metric_ids__nr(metric->ids);

	free(metric->events);
	metric->nr_events = metric->nr_counters = 0;
	metric->events = calloc((size_t)nr + 1, sizeof(*metric->events));
	if (!metric->events)
		return -ENOMEM;
	metric_ids__list(metric->ids, metric->events);
	metric->nr_events = nr;
	for (int i = 0; i < nr; i++)
		metric->nr_counters += !metric_chosen__is_tool(metric->events[i]);
	return 0;
}

/*
 * Lists the events of the expression and, unless config->no_threshold is set, of the threshold. If
 * the events of the threshold are listed, metric->ids starts as the set of the threshold. perf does
 * the same, and the order of a set depends on how it was made (metric-ids.h).
 */
static int add_events(const struct metric_set_config *config, struct metric_chosen *metric)
{
	bool by_threshold = metric->threshold && !config->no_threshold;
	const struct metric_expr *expr = metric->expr;
	int err = metric_ids__of_expr(by_threshold ? metric->threshold : expr, &metric->ids);

	/*
	 * a threshold in a user's file need not refer to its metric, so add the metric's events too
	 */
	for (int i = 0; !err && i < metric_expr__nr_events(expr); i++)
		err = metric_ids__add(metric->ids, metric_expr__event(expr, i));
	return err ?: metric_chosen__list_events(metric);
}

static int find_event(const struct metric_chosen *metric, const char *name)
{
	for (int i = 0; i < metric->nr_events; i++)
		if (!strcmp(metric->events[i], name))
			return i;
	return -1;
}

/*
 * Stores in *@operands, for each event of @expr, the index of its evsel, or -1 if the event is not
 * counted. Returns 0 or -ENOMEM.
 */
static int find_operands(const struct metric_chosen *metric, const struct metric_expr *expr,
			 int **operands)
{
	int nr = metric_expr__nr_events(expr);

	*operands = calloc((size_t)nr + 1, sizeof(**operands));
	if (!*operands)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		int event = find_event(metric, metric_expr__event(expr, i));

		(*operands)[i] = event < 0 ? -1 : metric->indices[event];
	}
	return 0;
}

int metric_chosen__find_operands(struct metric_chosen *metric)
{
	int err = find_operands(metric, metric->expr, &metric->operands);

	/* with --metric-no-threshold, events that only the threshold needs have the operand -1 */
	if (!err && metric->threshold)
		err = find_operands(metric, metric->threshold, &metric->threshold_operands);
	return err;
}

/* ---- scale and group ---- */

/*
 * Splits @text (metric_def.scale), such as "100%", into the scale 100 and the unit "%". If @text
 * does not begin with a number, the scale is 1, and the whole text is the unit. Returns 0 or
 * -ENOMEM.
 */
static int read_scale(struct metric_chosen *metric, const char *text)
{
	size_t len = strspn(text, "0123456789.+-");

	/* 1e3x has an exponent, but 1erg has none */
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

	return !sysfs__read_u64(config->machine->roots->procfs, "sys/kernel/nmi_watchdog", &on) &&
	       on;
}

/* Returns true if the metric's events cannot form a group while the NMI watchdog is on. */
static bool needs_watchdog_off(const struct metric_set_config *config, const struct metric_def *def)
{
	return def->grouping == METRIC_NO_GROUP_WATCHDOG ||
	       (def->grouping == METRIC_NO_GROUP_THRESHOLD && !config->no_threshold);
}

/*
 * Decides whether the events of @metric form a group. @asked is the name in -M that requests the
 * metric: the name of the metric or of a group of metrics.
 */
static void choose_group(const struct metric_set_config *config, const char *asked,
			 struct metric_chosen *metric)
{
	const struct metric_def *def = metric->def;
	double smt;

	if (config->no_group || metric_table__list_has(def->no_group_for, asked) ||
	    def->grouping == METRIC_NO_GROUP)
		return;
	if (def->grouping == METRIC_NO_GROUP_SMT) {
		metric->grouped = machine_view__literal(config->machine, "#smt_on", &smt) ||
				  smt == 0.0;
		return;
	}
	metric->kept_apart = needs_watchdog_off(config, def) && has_watchdog(config);
	metric->grouped = !metric->kept_apart;
	if (metric->kept_apart)
		log__plain("Not grouping metric %s's events.\n", def->name);
}

/* ---- making ---- */

static bool set_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return !from || *to;
}

int metric_chosen__make(const struct metric_set_config *config, const struct metric_wanted *wanted,
			struct metric_chosen *metric, struct strbuf *why)
{
	const struct metric_def *def = wanted->def;
	const char *modifier = wanted->modifier;
	struct strbuf label = STRBUF_INIT;
	bool copied;
	int err;

	*metric = (struct metric_chosen){ .def = def, .scale = 1.0 };
	choose_group(config, wanted->asked, metric);
	strbuf__adds(&label, def->name);
	if (modifier)
		strbuf__addf(&label, ":%s", modifier);
	metric->label = strbuf__detach(&label);
	copied = set_text(&metric->modifier, modifier);
	copied = set_text(&metric->pmu, wanted->pmu) && copied && metric->label;
	err = copied ? 0 : -ENOMEM;
	if (!err && def->scale)
		err = read_scale(metric, def->scale);
	err = err ?: compile(config, def, false, &metric->expr, why);
	if (!err && def->threshold)
		err = compile(config, def, true, &metric->threshold, why);
	return err ?: add_events(config, metric);
}

void metric_chosen__clear(struct metric_chosen *metric)
{
	free(metric->events);
	metric_ids__free(metric->ids);
	free(metric->operands);
	free(metric->threshold_operands);
	free(metric->indices);
	free(metric->label);
	free(metric->shown_as);
	free(metric->heading);
	free(metric->modifier);
	free(metric->pmu);
	free(metric->unit);
	metric_expr__free(metric->expr);
	metric_expr__free(metric->threshold);
}
