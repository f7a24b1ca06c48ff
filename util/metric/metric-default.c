// SPDX-License-Identifier: GPL-2.0-only
/*
 * Default metrics are the metrics in metric-builtin.c that name an event in `beside`, or apply to
 * any event (""). A default metric is shown next to the count of its event, even without -M. pstat
 * never adds events for default metrics. The operands of a default metric can be the wall time, the
 * number of runs, or events of the report that are counted under the same conditions as the
 * metric's event (see metric_defaults__new()).
 */
#include "util/metric/metric-default.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/lexer.h"
#include "util/event/names.h"
#include "util/machine/pmu/pmus.h"
#include "util/metric/metric-expr.h"
#include "util/metric/metric-row.h"
#include "util/metric/metric-table.h"
#include "util/metric/metric.h"

#define OPERANDS_MAX 4

/*
 * Operands that are not events of the evlist. RUNS is the number of counted runs of BPF programs or
 * scopes. An operand that is not negative is the index of an evsel.
 */
enum {
	MISSING = -1,
	WALL_TIME = -2,
	RUNS = -3,
};

/* A metric that is shown next to an event. */
struct beside {
	const struct metric_builtin *def;
	struct metric_expr *expr; /* owned by metric_defaults.exprs */
	/* for each event of `expr`: the index of its evsel, or MISSING, WALL_TIME or RUNS */
	int operands[OPERANDS_MAX];
};

struct metric_defaults {
	/* for each metric in metric-builtin.c, its expression; NULL: the metric is not used */
	struct metric_expr **exprs;
	struct beside *list; /* in the order of the events */
	/*
	 * for each event, the index of its first metric in `list`; the last element is the length
	 * of `list`
	 */
	int *first;
};

/* ---- identifying events ---- */

/*
 * A generic event, such as cycles. For an evsel that counts cpu-clock, generic_of() returns the
 * struct of task-clock, so the metrics of task-clock apply to both clocks.
 */
struct generic {
	uint32_t type;
	uint64_t config;
};

#define TYPE_NONE UINT32_MAX
#define TYPE_SCOPE_TIME (UINT32_MAX - 1)

static bool is_core_type(const struct evsel *evsel)
{
	uint32_t type = evsel->attr.attr.type;

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
}

static struct generic generic_of_name(const char *name)
{
	struct span span = { .s = name, .len = strlen(name) };
	const struct event_name *row = event_name__find(&span);
	struct generic generic = { .type = PERF_TYPE_HW_CACHE };
	const char *why;

	if (row && row->tool == TOOL_SCOPE_TIME)
		return (struct generic){ .type = TYPE_SCOPE_TIME };
	if (row)
		return (struct generic){ .type = row->tool ? TYPE_NONE : row->type,
					 .config = row->config };
	if (event_name__decode_cache(&span, &generic.config, &why))
		generic.type = TYPE_NONE;
	return generic;
}

static struct generic generic_of(const struct evsel *evsel)
{
	struct generic generic = { .type = evsel->attr.attr.type,
				   .config = evsel->attr.attr.config };

	if (evsel->tool == TOOL_SCOPE_TIME)
		generic = (struct generic){ .type = TYPE_SCOPE_TIME };
	else if (evsel->tool != TOOL_NONE)
		generic.type = TYPE_NONE;
	else if (is_core_type(evsel))
		generic.config &= PMU_CONFIG_MASK;
	else if (evsel->generic_hw >= 0)
		generic = (struct generic){ .type = PERF_TYPE_HARDWARE,
					    .config = (uint64_t)evsel->generic_hw };
	else if (evsel__is_clock(evsel))
		generic.config = PERF_COUNT_SW_TASK_CLOCK;
	return generic;
}

static bool is_same(struct generic a, struct generic b)
{
	return a.type == b.type && a.config == b.config && a.type != TYPE_NONE;
}

static bool same_modifiers(const struct evsel *a, const struct evsel *b)
{
	const struct perf_event_attr *one = &a->attr.attr, *two = &b->attr.attr;

	return one->exclude_user == two->exclude_user &&
	       one->exclude_kernel == two->exclude_kernel && one->exclude_hv == two->exclude_hv &&
	       one->exclude_host == two->exclude_host && one->exclude_idle == two->exclude_idle;
}

/*
 * Returns the type number of the PMU that counts @evsel. Returns 0 for a hardware or cache event
 * whose config does not contain the type of a PMU, for example if there is only one core PMU.
 */
static uint64_t pmu_of(const struct evsel *evsel)
{
	return is_core_type(evsel) ? evsel->attr.attr.config >> PMU_TYPE_SHIFT :
				     evsel->attr.attr.type;
}

/* Returns whether the two events are counted on the same PMU. */
static bool same_pmu(const struct evsel *a, const struct evsel *b)
{
	uint64_t one = pmu_of(a), two = pmu_of(b);

	return one == two || (is_core_type(a) && !one && b->generic_hw >= 0) ||
	       (is_core_type(b) && !two && a->generic_hw >= 0);
}

/*
 * Returns the index of the first evsel, other than @evsel, that counts the event @wanted under the
 * same conditions as @evsel. Returns MISSING if there is none.
 */
static int find(const struct evlist *evlist, const struct evsel *evsel, struct generic wanted)
{
	const struct evsel *other;

	evlist__for_each(evlist, other) {
		if (other == evsel || !is_same(generic_of(other), wanted))
			continue;
		if (evsel__is_grouped(evsel) && other->leader != evsel->leader)
			continue;
		if (!same_modifiers(evsel, other) || evsel->cgroup != other->cgroup)
			continue;
		if (evsel__is_clock(other) || same_pmu(evsel, other))
			return other->idx;
	}
	return MISSING;
}

/* ---- choosing the metrics of an event ---- */

static int find_operand(const struct evlist *evlist, const struct evsel *evsel, const char *name)
{
	struct generic wanted = generic_of_name(name);

	if (!strcmp(name, METRIC_OWN_COUNT) || is_same(wanted, generic_of(evsel)))
		return evsel->idx;
	if (wanted.type == TYPE_NONE)
		return strcmp(name, "duration_time") ? RUNS : WALL_TIME;
	return find(evlist, evsel, wanted);
}

static int compile(struct metric_defaults *defaults, int row)
{
	const struct metric_builtin *def = &metrics_builtin[row];
	struct metric_error error = METRIC_ERROR_INIT;
	struct metric_env env = { 0 };
	int err = 0;

	if (!defaults->exprs[row])
		err = metric_expr__compile(def->unit, def->expr, false, &env, &defaults->exprs[row],
					   &error);
	metric_error__free(&error);
	return err;
}

static int add(struct metric_defaults *defaults, const struct evlist *evlist,
	       const struct evsel *evsel, int row)
{
	int *nr = &defaults->first[evsel->idx + 1], err = compile(defaults, row);
	struct beside *list,
		beside = { .def = &metrics_builtin[row], .expr = defaults->exprs[row] };

	if (err)
		return err;
	for (int i = 0; i < metric_expr__nr_events(beside.expr) && i < OPERANDS_MAX; i++)
		beside.operands[i] =
			find_operand(evlist, evsel, metric_expr__event(beside.expr, i));
	list = realloc(defaults->list, sizeof(*list) * ((size_t)*nr + 1));
	if (!list)
		return -ENOMEM;
	defaults->list = list;
	list[(*nr)++] = beside;
	return 0;
}

/*
 * Adds the metrics of @evsel. A rate per second is added only if no other metric has been added,
 * and if find() finds a clock. In metrics_builtin, the metrics that name an event come before the
 * rate.
 */
static int add_all(struct metric_defaults *defaults, const struct evlist *evlist,
		   const struct evsel *evsel)
{
	struct generic generic = generic_of(evsel), clock = generic_of_name("task-clock");
	bool any = false;
	int err = 0;

	defaults->first[evsel->idx + 1] = defaults->first[evsel->idx];
	for (int row = 0; row < nr_metrics_builtin && !err; row++) {
		const struct metric_builtin *def = &metrics_builtin[row];

		if (!def->beside)
			continue;
		if (def->when == METRIC_IS_RATE ?
			    !any && find(evlist, evsel, clock) != MISSING :
			    !*def->beside || is_same(generic_of_name(def->beside), generic)) {
			err = add(defaults, evlist, evsel, row);
			any = true;
		}
	}
	return err;
}

int metric_defaults__new(const struct evlist *evlist, struct metric_defaults **result)
{
	struct metric_defaults *defaults = calloc(1, sizeof(*defaults));
	const struct evsel *evsel;
	int err = defaults ? 0 : -ENOMEM;

	*result = defaults;
	if (err)
		return err;
	defaults->exprs = calloc((size_t)nr_metrics_builtin, sizeof(struct metric_expr *));
	defaults->first = calloc((size_t)evlist->nr + 1, sizeof(*defaults->first));
	if (!defaults->exprs || !defaults->first)
		err = -ENOMEM;
	evlist__for_each(evlist, evsel)
		err = err ?: add_all(defaults, evlist, evsel);
	return err;
}

void metric_defaults__free(struct metric_defaults *defaults)
{
	if (!defaults)
		return;
	for (int i = 0; defaults->exprs && i < nr_metrics_builtin; i++)
		metric_expr__free(defaults->exprs[i]);
	free(defaults->exprs);
	free(defaults->list);
	free(defaults->first);
	free(defaults);
}

/* ---- values ---- */

/*
 * Returns the number of runs (of BPF programs or scopes) in which @evsel was counted, or 0 if this
 * number is unknown. If the counts are split by cgroup, the number of runs in a cgroup is known
 * only if the event run_cnt is counted for this cgroup.
 */
static double runs_of(const struct metric_source *source, const struct evsel *evsel, int aggr)
{
	const struct evsel *other;

	if (!source->by_cgroup)
		return source->runs[(size_t)evsel->idx * (size_t)source->nr_aggr + (size_t)aggr];
	evlist__for_each(source->evlist, other)
		if (other->tool == TOOL_RUN_CNT && evsel->cgroup == other->cgroup)
			return (double)source->counts[(size_t)other->idx * (size_t)source->nr_aggr +
						      (size_t)aggr];
	return 0.0;
}

/*
 * Returns the value of an operand. A missing event has the value 0. The wall time is in seconds,
 * clocks are in ns, and all other events are in the unit in which they are printed.
 */
static double value_of(const struct metric_source *source, const struct evsel *evsel, int operand,
		       int aggr)
{
	const struct evsel *other;
	double count;

	if (operand == WALL_TIME)
		return source->wall_ns / 1e9;
	if (operand == RUNS)
		return runs_of(source, evsel, aggr);
	if (operand == MISSING)
		return 0.0;
	other = source->evlist->entries[operand];
	count = evsel__count(
		other, source->counts[(size_t)operand * (size_t)source->nr_aggr + (size_t)aggr]);
	return evsel__is_clock(other) ? count : count * other->scale;
}

static enum metric_level level_of(const struct metric_builtin *def, double value)
{
	enum metric_level level = METRIC_PLAIN;

	for (int i = 0; i < 3 && def->levels[i] != 0.0f && value > def->levels[i]; i++)
		level = (enum metric_level)(METRIC_NOTABLE + i);
	return level;
}

/*
 * Returns whether the metric is added to the row. With source->all, each metric is a column, so the
 * function also returns true if the metric can have a value in another row. A rate per second is
 * added only if it has a value, even with source->all.
 */
static bool is_shown(const struct metric_source *source, const struct beside *beside,
		     const struct evsel *evsel, const struct metric_row *row, bool has_value)
{
	int nr = metric_expr__nr_events(beside->expr);

	switch (beside->def->when) {
	case METRIC_IS_PER_RUN:
		/* without source->all, shown only if no other metric has a value */
		for (int i = 0; !source->all && i < row->nr; i++)
			if (row->metrics[i].has_value)
				return false;
		return source->all || has_value;
	case METRIC_IS_TIME_PER_RUN:
		return source->all || has_value;
	case METRIC_IS_RATE:
		return has_value;
	case METRIC_HAS_VALUE:
		for (int i = 0; !has_value && source->all && i < nr; i++)
			has_value = beside->operands[i] >= 0 && beside->operands[i] != evsel->idx;
		return has_value;
	default:
		return true;
	}
}

/*
 * Returns whether the metric is meaningful for the counts of @evsel. A rate per second is not
 * meaningful if runs of BPF programs or scopes are counted, because the clock then counts only the
 * time of these runs.
 */
static bool applies(const struct metric_source *source, const struct metric_builtin *def,
		    const struct evsel *evsel)
{
	if (def->when == METRIC_IS_TIME_PER_RUN)
		return source->runs;
	if (def->when == METRIC_IS_PER_RUN)
		return source->runs && evsel->tool == TOOL_NONE && !evsel__is_clock(evsel);
	return def->when != METRIC_IS_RATE || !source->runs;
}

static const char *step_up(double *rate)
{
	static const char units[][8] = { "/sec", "K/sec", "M/sec", "G/sec" };
	int step = 0;

	for (; *rate > 1000.0 && step < 3; step++)
		*rate /= 1000.0;
	return units[step];
}

static int add_one(const struct metric_source *source, const struct beside *beside,
		   const struct evsel *evsel, int aggr, struct metric_row *row)
{
	const struct metric_builtin *def = beside->def;
	struct metric_value *values = metric_expr__values(beside->expr);
	struct row_metric shown = { .unit = def->unit,
				    .width = def->decimals == 2 ? 7 : 8,
				    .decimals = def->decimals };
	double value;

	for (int i = 0; i < metric_expr__nr_events(beside->expr) && i < OPERANDS_MAX; i++)
		values[i].value = value_of(source, evsel, beside->operands[i], aggr);
	value = metric_expr__eval(beside->expr, values);
	shown.has_value = !isnan(value) && (value != 0.0 || def->shows_zero);
	if (!is_shown(source, beside, evsel, row, shown.has_value))
		return 0;
	if (def->when == METRIC_IS_PER_RUN && !source->all)
		row->nr = 0;
	/*
	 * perf prints one metric for a clock, so scripts that read CSV or JSON do not expect this
	 * second metric. With source->all, each metric needs a column.
	 */
	shown.only_text = def->when == METRIC_IS_TIME_PER_RUN && !source->all &&
			  evsel__is_clock(evsel);
	if (def->decimals == 2)
		shown.suffix = def->scale ? '%' : ' ';
	if (shown.has_value) {
		shown.level = level_of(def, value);
		shown.value = shown.suffix == '%' ? value * 100.0 : value;
	}
	if (def->when == METRIC_IS_RATE)
		shown.unit = step_up(&shown.value);
	return metric_row__add(row, &shown);
}

int metric_defaults__add(const struct metric_source *source, const struct evsel *evsel, int aggr,
			 struct metric_row *row)
{
	const struct metric_defaults *defaults = source->defaults;
	int err = 0;

	for (int i = defaults->first[evsel->idx]; i < defaults->first[evsel->idx + 1] && !err; i++)
		if (applies(source, defaults->list[i].def, evsel))
			err = add_one(source, &defaults->list[i], evsel, aggr, row);
	return err;
}
