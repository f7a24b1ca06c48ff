// SPDX-License-Identifier: GPL-2.0-only
#include "util/metric/metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/metric/metric-chosen.h"
#include "util/metric/metric-default.h"
#include "util/metric/metric-expr.h"
#include "util/metric/metric-row.h"
#include "util/metric/metric-set.h"
#include "util/metric/metric-table.h"

#define NS_PER_SEC 1e9

/*
 * Returns the sum of the values of @evsel in all aggregates of the subject to which @aggr belongs
 * (util/report/aggr.h).
 */
static double sum(const struct metric_source *source, const struct evsel *evsel, int aggr)
{
	int first = aggr - aggr % source->per_subject;
	const uint64_t *counts =
		&source->counts[(size_t)evsel->idx * (size_t)source->nr_aggr + (size_t)first];
	double all = 0.0;

	for (int i = 0; i < source->per_subject; i++)
		all += evsel__count(evsel, counts[i]);
	return all;
}

/*
 * Returns the value of a tool event (enum tool_event in evsel.h) in the aggregate @aggr. Tool
 * events cannot be split by aggregate, so each aggregate gets the value of the whole subject.
 */
static double tool_value(const struct metric_source *source, const struct evsel *evsel, int aggr)
{
	switch (evsel->tool) {
	case TOOL_DURATION_TIME:
		return source->wall_ns > 0.0 ? source->wall_ns / NS_PER_SEC : NAN;
	case TOOL_RUN_CNT:
		return sum(source, evsel, aggr);
	case TOOL_FACT:
	case TOOL_HWMON:
	case TOOL_DRM:
		return sum(source, evsel, aggr) * evsel->scale;
	default:
		return sum(source, evsel, aggr) / NS_PER_SEC;
	}
}

static double sources_of(const struct evlist *evlist, const struct evsel *evsel)
{
	int nr = 1;

	for (int i = evsel->idx; (i = evlist__next_merged(evlist, evsel->idx, i)) >= 0;)
		nr++;
	return nr;
}

/*
 * Sets value->value to the value of @evsel in the aggregate @aggr, and value->sources to the result
 * of sources_of(). The value of a perf event is NaN if the event was not counted. The times of tool
 * events are in seconds. The counts of perf events are not multiplied by evsel.scale, so clocks are
 * in ns.
 */
static void fill(const struct metric_source *source, const struct evsel *evsel, int aggr,
		 struct metric_value *value)
{
	size_t cell = (size_t)evsel->idx * (size_t)source->nr_aggr + (size_t)aggr;

	value->sources = sources_of(source->evlist, evsel);
	if (evsel->tool != TOOL_NONE)
		value->value = tool_value(source, evsel, aggr);
	else
		value->value = source->known[cell] ? (double)source->counts[cell] : NAN;
}

/*
 * An event that several uncore PMUs count has one evsel for each PMU. In all of these evsels except
 * the first, merge_into points to the first. Returns the evsel of the first PMU. For other events,
 * returns @evsel itself.
 */
static const struct evsel *first_pmu(const struct evsel *evsel)
{
	return evsel->is_uncore && evsel->merge_into ? evsel->merge_into : evsel;
}

/*
 * If the report does not merge the counts of uncore PMUs, a metric is shown in one row for each
 * PMU, and its value in a row is computed from the events of that PMU. @shown is the evsel of the
 * row. Returns the event that corresponds to @event on the PMU of @shown. Returns @event itself if
 * @shown is the evsel of the first PMU, if @event is not on the first PMU, or if there is no
 * corresponding event.
 */
static const struct evsel *of_same_pmu(const struct evlist *evlist, const struct evsel *event,
				       const struct evsel *shown)
{
	const struct evsel *first = first_pmu(shown);

	if (first == shown || !event->pmu_name || strcmp(event->pmu_name, first->pmu_name))
		return event;
	for (int i = event->idx; (i = evlist__next_merged(evlist, event->idx, i)) >= 0;)
		if (!strcmp(evlist->entries[i]->pmu_name, shown->pmu_name))
			return evlist->entries[i];
	return event;
}

/*
 * Returns the result of @expr in the row of @evsel. For each event of @expr, @operands contains the
 * index of its evsel, or -1 if it has none. An event that was not counted has the value NaN. The
 * result can still be a number: for example, `0 & x` is 0 even if x is NaN (metric-expr.h).
 */
static double evaluate(const struct metric_source *source, struct metric_expr *expr,
		       const int *operands, const struct evsel *evsel, int aggr)
{
	struct metric_value *values = metric_expr__values(expr);

	for (int i = 0; i < metric_expr__nr_events(expr); i++) {
		const struct evsel *event;

		values[i] = (struct metric_value){ .value = NAN };
		if (operands[i] < 0)
			continue;
		event = source->evlist->entries[operands[i]];
		fill(source, of_same_pmu(source->evlist, event, evsel), aggr, &values[i]);
	}
	return metric_expr__eval(expr, values);
}

static enum metric_level level_of(const struct metric_source *source,
				  const struct metric_chosen *metric, const struct evsel *evsel,
				  int aggr)
{
	double result = NAN;

	if (metric->threshold)
		result = evaluate(source, metric->threshold, metric->threshold_operands, evsel,
				  aggr);
	if (isnan(result))
		return METRIC_PLAIN;
	return result != 0.0 ? METRIC_BAD : METRIC_GOOD;
}

static int add_one(const struct metric_source *source, const struct metric_chosen *metric,
		   const struct evsel *evsel, int aggr, struct metric_row *row)
{
	double value =
		evaluate(source, metric->expr, metric->operands, evsel, aggr) * metric->scale;
	struct row_metric shown = {
		.unit = metric->shown_as,
		.heading = metric->heading,
		.asked_for = true,
		.has_value = isfinite(value),
		.value = isfinite(value) ? value : 0.0,
		.width = 8,
		.decimals = metric->unit ? 1 : 2,
		.level = isfinite(value) ? level_of(source, metric, evsel, aggr) : METRIC_PLAIN,
	};

	return metric_row__add(row, &shown);
}

static bool is_shown_at(const struct metric_chosen *metric, const struct evsel *evsel)
{
	return metric->shown_at == first_pmu(evsel)->idx;
}

bool metric_set__is_at(const struct metric_set *set, const struct evsel *evsel)
{
	for (int i = 0; set && i < set->nr; i++)
		if (is_shown_at(&set->metrics[i], evsel))
			return true;
	return false;
}

static int add_asked_for(const struct metric_source *source, const struct evsel *evsel, int aggr,
			 struct metric_row *row)
{
	int err = 0;

	/* add the metrics in reverse order, as in perf */
	for (int i = source->set->nr - 1; !err && i >= 0; i--)
		if (is_shown_at(&source->set->metrics[i], evsel))
			err = add_one(source, &source->set->metrics[i], evsel, aggr, row);
	return err;
}

int metric_row__add(struct metric_row *row, const struct row_metric *metric)
{
	struct row_metric *metrics =
		realloc(row->metrics, sizeof(*metrics) * ((size_t)row->nr + 1));

	if (!metrics)
		return -ENOMEM;
	row->metrics = metrics;
	metrics[row->nr++] = *metric;
	return 0;
}

int metric__add(const struct metric_source *source, const struct evsel *evsel, int aggr,
		struct metric_row *row)
{
	/* as in perf, an event that was not counted has no metrics, except with source->all */
	bool any = source->all || row->counted;
	int err = any && (source->all || !evsel->default_metric) ?
			  metric_defaults__add(source, evsel, aggr, row) :
			  0;

	if (!err && any && source->set)
		err = add_asked_for(source, evsel, aggr, row);
	for (int i = 0; i < row->nr && !row->counted; i++)
		row->metrics[i].has_value = false;
	return err;
}
