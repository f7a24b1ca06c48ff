// SPDX-License-Identifier: GPL-2.0-only
#include "util/report/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/subjects.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/metric/metric-default.h"
#include "util/metric/metric.h"
#include "util/report/aggr.h"
#include "util/report/report.h"
#include "util/report/stat_row.h"

#define UNIT_WIDTH_MIN 4

/*
 * A subject (subjects.h: a cgroup, thread, BPF program or scope with counts of its own) that has
 * rows.
 */
struct shown {
	int subject;
	/*
	 * if there are both cgroups and programs (or scopes): the index of the program or scope
	 * within which --top ranks the cgroups; otherwise 0
	 */
	int prog;
	double size; /* --top: the first event's count for the subject or for its cgroup */
};

/* The events that have rows, in the order of these rows. */
struct order {
	int *events;
	int nr_events;
};

/*
 * Adds the rows of a subject for @nr events of @order, beginning with the event at index @first.
 * The rows are ordered by event if @by_event is set, otherwise by aggregate (aggr.h).
 */
static int add_rows(const struct cells *cells, const struct metric_source *source, int subject,
		    bool by_event, const struct order *order, int first, int nr,
		    struct stat_rows *rows)
{
	int aggrs = cells->shape.aggrs, inner = by_event ? aggrs : nr, err = 0;

	for (int i = 0; i < nr * aggrs && !err; i++) {
		int event = by_event ? i / inner : i % inner,
		    aggr = by_event ? i % inner : i / inner;

		err = cell__add_row(cells, source, order->events[first + event],
				    subject * aggrs + aggr, rows);
	}
	return err;
}

/* ---- --top with --hide-zero ---- */

/*
 * With both --top and --hide-zero: for each subject, and for each event, whether at least one of
 * its rows is printed. If either option is missing, or with --metric-only, the pointers are NULL:
 * all subjects and events are regarded as printed.
 */
struct printed {
	bool *subjects, *events;
};

static int find_printed(const struct cells *cells, const struct metric_source *source,
			struct printed *printed)
{
	const struct report_config *config = cells->config;
	struct stat_rows rows = { 0 };
	int err = 0;

	*printed = (struct printed){ 0 };
	if (!config->top || !config->hide_zero || config->metric_only)
		return 0;
	printed->subjects = calloc((size_t)aggr_map__nr_subjects(config->aggr) + 1, sizeof(bool));
	printed->events = calloc((size_t)config->evlist->nr + 1, sizeof(bool));
	if (!printed->subjects || !printed->events)
		return -ENOMEM;
	for (int event = 0; event < config->evlist->nr; event++)
		for (int aggr = 0; aggr < cells->nr_aggr && !err; aggr++) {
			err = cell__add_row(cells, source, event, aggr, &rows);
			if (!err && rows.nr && !stat_row__is_zero(&rows.rows[0])) {
				printed->subjects[aggr / cells->shape.aggrs] = true;
				printed->events[event] = true;
			}
			stat_rows__reset(&rows);
		}
	stat_rows__free(&rows);
	return err;
}

static void printed__free(struct printed *printed)
{
	free(printed->subjects);
	free(printed->events);
}

/* ---- subjects ---- */

static int compare_shown(const void *left, const void *right)
{
	const struct shown *a = left, *b = right;

	if (a->prog != b->prog)
		return a->prog - b->prog;
	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return a->subject - b->subject;
}

static double subject_size(const struct cells *cells, int subject)
{
	const struct cell *of_subject = cells__at(cells, 0, subject * cells->shape.aggrs);
	double size = 0;

	for (int aggr = 0; aggr < cells->shape.aggrs; aggr++)
		size += (double)of_subject[aggr].sum.value;
	return size;
}

/*
 * Applies --top: keeps the cgroups or, if there are no cgroups, the programs, scopes or threads for
 * which the count of the first event is largest. If there are programs or scopes in addition to
 * cgroups, the count of a cgroup is the sum over all programs or scopes. (The list of subjects
 * repeats the cgroups, in the same order, for each program or scope.) Drops the cgroups (or the
 * subjects, if there are no cgroups) that have no printed rows. Returns the number of subjects that
 * remain in @shown.
 */
static int keep_largest(const struct cells *cells, const struct printed *printed,
			struct shown *shown, int nr)
{
	const struct subjects *subjects = cells->config->aggr->subjects;
	int nr_cgroups = subjects__cgroups(subjects), nr_printed = 0, kept = 0, rank = 0;
	bool by_prog = subjects->kind != &subject_cgroup && subjects->nr_cgroups;

	for (int i = 0; i < nr; i++) {
		struct shown one = { .subject = shown[i].subject };
		bool is_printed = !printed->subjects;

		one.prog = by_prog ? one.subject / nr_cgroups : 0;
		for (int other = by_prog ? one.subject % nr_cgroups : one.subject;
		     other < subjects->nr; other += by_prog ? nr_cgroups : subjects->nr) {
			one.size += subject_size(cells, other);
			is_printed = is_printed || printed->subjects[other];
		}
		if (is_printed)
			shown[nr_printed++] = one;
	}
	qsort(shown, (size_t)nr_printed, sizeof(*shown), compare_shown);
	for (int i = 0; i < nr_printed; i++) {
		rank = i && shown[i].prog == shown[i - 1].prog ? rank + 1 : 0;
		if (rank < cells->config->top)
			shown[kept++] = shown[i];
	}
	return kept;
}

static bool has_rows(const struct subject *subject, bool interval)
{
	return subject->state == SUBJECT_LIVE || subject->state == SUBJECT_GONE ||
	       (subject->state == SUBJECT_GONE_OLD && !interval);
}

/*
 * Fills @shown with the subjects that have rows, in the order of these rows. Returns the number of
 * subjects in @shown.
 */
static int choose_subjects(const struct cells *cells, const struct printed *printed, bool interval,
			   struct shown *shown)
{
	const struct aggr_map *map = cells->config->aggr;
	int nr = 0;

	for (int subject = 0; subject < aggr_map__nr_subjects(map); subject++)
		if (!map->subjects || has_rows(&map->subjects->list[subject], interval))
			shown[nr++] = (struct shown){ .subject = subject };
	if (!cells->config->top || !map->subjects || !cells->config->evlist->nr)
		return nr;
	return keep_largest(cells, printed, shown, nr);
}

/* ---- events ---- */

/* An event and the sum of the counts in its rows. */
struct ranked {
	int number;
	double size;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return a->number - b->number;
}

/*
 * Returns the sum of an event's counts in the printed unit, or -1 if the event has no count. The
 * rows of an event with `default_metric` show no counts, so the result for such an event is also
 * -1.
 */
static double event_size(const struct cells *cells, int event)
{
	const struct evsel *evsel = cells->config->evlist->entries[event];
	const struct cell *all = cells__at(cells, event, 0);
	bool counted = false;
	double size = 0;

	for (int aggr = 0; aggr < cells->nr_aggr; aggr++) {
		if (all[aggr].hidden || !all[aggr].sum.running)
			continue;
		counted = true;
		size += evsel__count(evsel, all[aggr].sum.value) * evsel->scale;
	}
	return counted && !evsel->default_metric ? size : -1;
}

/*
 * Applies --top in a report without subjects: keeps the events with the largest counts. Drops
 * events without printed rows. Returns 0 or -ENOMEM.
 */
static int keep_top(const struct cells *cells, const struct printed *printed, struct order *order)
{
	struct ranked *ranked = calloc((size_t)order->nr_events + 1, sizeof(*ranked));
	int nr = 0;

	if (!ranked)
		return -ENOMEM;
	for (int i = 0; i < order->nr_events; i++)
		if (!printed->events || printed->events[i])
			ranked[nr++] = (struct ranked){ .number = i, .size = event_size(cells, i) };
	qsort(ranked, (size_t)nr, sizeof(*ranked), compare_ranked);
	order->nr_events = nr < cells->config->top ? nr : cells->config->top;
	for (int i = 0; i < order->nr_events; i++)
		order->events[i] = ranked[i].number;
	free(ranked);
	return 0;
}

/*
 * Fills @order with the events that have rows. Returns 0 or -ENOMEM. The caller must free
 * order->events in both cases.
 */
static int order__init(struct order *order, const struct cells *cells,
		       const struct printed *printed)
{
	const struct report_config *config = cells->config;

	order->nr_events = config->evlist->nr;
	order->events = malloc(((size_t)order->nr_events + 1) * sizeof(*order->events));
	if (!order->events)
		return -ENOMEM;
	for (int i = 0; i < order->nr_events; i++)
		order->events[i] = i;
	if (!config->top || config->aggr->subjects || config->metric_only)
		return 0;
	return keep_top(cells, printed, order);
}

/* ---- all rows ---- */

static int widest_unit(const struct cells *cells)
{
	const struct evlist *evlist = cells->config->evlist;
	int width = UNIT_WIDTH_MIN;

	for (int event = 0; event < evlist->nr; event++) {
		int len = (int)strlen(evlist->entries[event]->unit);

		for (int cgroup = 0; len > width && cgroup < cells->nr_cgroups; cgroup++)
			if (!cells__is_unsupported(cells, event, cgroup))
				width = len;
	}
	return width;
}

static int longest_prog(const struct cells *cells)
{
	const struct subjects *subjects = cells->config->aggr->subjects;
	int width = 0;

	if (!subjects || !subjects->kind->column)
		return 0;
	for (int i = 0; i < subjects->nr; i++) {
		int len = (int)strlen(subjects->list[i].name);

		width = len > width ? len : width;
	}
	return subjects->kind->widest && width > subjects->kind->widest ? subjects->kind->widest :
									  width;
}

/* Returns whether the counts are split by cgroup (-G or --for-each-cgroup). */
static bool is_by_cgroup(const struct report_config *config)
{
	const struct subjects *subjects = config->aggr->subjects;
	const struct evsel *evsel;

	evlist__for_each(config->evlist, evsel)
		if (evsel->cgroup)
			return true;
	return subjects && (subjects->kind == &subject_cgroup || subjects->nr_cgroups);
}

/*
 * Returns the values from which metrics are computed. Treats all threads as a single subject,
 * because an event that pstat measures itself, such as wall time, has one value for all threads.
 */
static struct metric_source metric_source(struct cells *cells, double wall_ns)
{
	for (size_t i = 0; i < cells__nr(cells); i++) {
		cells->counts[i] = cells->cells[i].sum.value;
		cells->known[i] = cells->cells[i].sum.enabled && cells->cells[i].sum.running;
	}
	return (struct metric_source){
		.evlist = cells->config->evlist,
		.nr_aggr = cells->nr_aggr,
		.per_subject = subjects__are_threads(cells->config->aggr->subjects) ?
				       cells->nr_aggr :
				       cells->shape.aggrs,
		.counts = cells->counts,
		.known = cells->known,
		.defaults = cells->defaults,
		.set = cells->config->metrics,
		.all = cells->config->metric_only,
		.runs = cells->counts_runs ? cells->runs : NULL,
		.by_cgroup = is_by_cgroup(cells->config),
		.wall_ns = wall_ns,
	};
}

int cells__make_rows(struct cells *cells, double wall_ns, bool interval, struct stat_rows *rows)
{
	const struct report_config *config = cells->config;
	struct metric_source source;
	struct printed printed = { 0 };
	struct order order = { 0 };
	bool by_event = !config->metric_only && !aggr_mode__adds_cpus_up(config->aggr->mode);
	struct shown *shown =
		calloc((size_t)aggr_map__nr_subjects(config->aggr) + 1, sizeof(*shown));
	int nr, at_once, err = 0;

	stat_rows__reset(rows);
	err = shown ? 0 : -ENOMEM;
	if (!err && !cells->defaults)
		err = metric_defaults__new(config->evlist, &cells->defaults);
	if (err)
		goto out;
	source = metric_source(cells, wall_ns);
	err = find_printed(cells, &source, &printed);
	err = err ?: order__init(&order, cells, &printed);
	if (err)
		goto out;
	rows->unit_width = widest_unit(cells);
	rows->prog_width = longest_prog(cells);
	nr = choose_subjects(cells, &printed, interval, shown);
	/* the rows of all threads for one event are adjacent */
	at_once = by_event && subjects__are_threads(config->aggr->subjects) ? 1 : order.nr_events;
	for (int first = 0; first < order.nr_events; first += at_once)
		for (int i = 0; i < nr && !err; i++)
			err = add_rows(cells, &source, shown[i].subject, by_event, &order, first,
				       at_once, rows);
out:
	printed__free(&printed);
	free(order.events);
	free(shown);
	return err;
}
