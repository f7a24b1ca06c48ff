// SPDX-License-Identifier: GPL-2.0-only
/* Resolves --hist and --outliers: the event of the histogram, and the runs that are printed. */
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/outliers.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

/*
 * Finds the event @name among the events that are counted in each run. If @name is NULL, finds the
 * first perf event, or scope-time if there is no perf event. Returns NULL if there is no such
 * event.
 */
static const struct evsel *find_event(const struct raw_options *raw, const char *name)
{
	const struct evsel *evsel, *time = NULL;

	evlist__for_each(raw->to->evlist, evsel) {
		if (name ? evsel__is_read_per_run(evsel) && evsel__has_name(evsel, name) :
			   evsel->tool == TOOL_NONE)
			return evsel;
		if (!name && evsel->tool == TOOL_SCOPE_TIME)
			time = evsel;
	}
	return time;
}

/* Adds the names of the events that are counted in each run, each followed by ", ". */
static void add_names(const struct raw_options *raw, struct strbuf *names)
{
	const struct evsel *evsel;

	evlist__for_each(raw->to->evlist, evsel)
		if (evsel__is_read_per_run(evsel))
			strbuf__addf(names, "%s, ", evsel->name);
}

/*
 * Finds the event @name among the events that have no count per run. If @name is NULL, finds the
 * first of these events. Returns NULL if there is none.
 */
static const struct evsel *find_other(const struct raw_options *raw, const char *name)
{
	const struct evsel *evsel;

	evlist__for_each(raw->to->evlist, evsel)
		if (!evsel__is_read_per_run(evsel) && (!name || evsel__has_name(evsel, name)))
			return evsel;
	return NULL;
}

static bool is_run_cnt(const struct raw_options *raw, const char *name)
{
	const struct evsel *other = find_other(raw, name);

	return other ? other->tool == TOOL_RUN_CNT : name && !strcmp(name, "run_cnt");
}

/* Returns advice for a user who named an unsuitable event. @names lists the suitable ones. */
static const char *advice(const struct raw_options *raw, const char *name,
			  const struct strbuf *names)
{
	if (name && !strcmp(name, OUTLIER_TIME))
		return "only --outliers knows 'time': name task-clock or, with --scope, "
		       "scope-time, and add it to -e";
	if (!is_run_cnt(raw, name) && !find_other(raw, name))
		return "add it to -e";
	return names->len ? "name another event" :
			    "add another event to -e, such as task-clock, and name it";
}

/* ---- --hist ---- */

int stat_outliers__resolve_hist(struct raw_options *raw)
{
	const char *name = *raw->hist ? raw->hist : NULL;
	struct strbuf names = STRBUF_INIT;

	raw->to->count.hist = find_event(raw, name);
	if (raw->to->count.hist)
		return 0;
	add_names(raw, &names);
	if (names.len)
		names.text[names.len - 2] = '\0';
	if (name)
		pr_err("--hist=%s: %s (counted: %s)\n%s", name,
		       is_run_cnt(raw, name) ? "run_cnt is always 1 per run" :
		       find_other(raw, name) ? "this event has no count per run" :
					       "this event is not counted",
		       names.len ? names.text : "none", advice(raw, name, &names));
	else
		pr_err("--hist needs an event that is counted in each run%s: add one to -e, "
		       "such as task-clock",
		       is_run_cnt(raw, NULL) ? " (run_cnt is always 1)" : "");
	strbuf__free(&names);
	return EXIT_USAGE;
}

/* ---- --outliers ---- */

static int refuse_event(const struct raw_options *raw, const char *name)
{
	struct strbuf names = STRBUF_INIT;

	if (!name) {
		pr_err("--outliers %s needs an event that is counted in each run%s: add one to -e, "
		       "or name '%s', as in --outliers 50us,%s",
		       raw->outliers, is_run_cnt(raw, NULL) ? " (run_cnt is always 1)" : "",
		       OUTLIER_TIME, OUTLIER_TIME);
		return EXIT_USAGE;
	}
	add_names(raw, &names);
	strbuf__adds(&names, OUTLIER_TIME);
	if (is_run_cnt(raw, name))
		pr_err("--outliers %s: run_cnt is always 1 per run (counted: %s)\n%s",
		       raw->outliers, names.text, advice(raw, name, &names));
	else
		pr_err("--outliers %s: '%s' %s (counted: %s)\n%s", raw->outliers, name,
		       find_other(raw, name) ? "has no count per run" : "is not counted",
		       names.text, advice(raw, name, &names));
	strbuf__free(&names);
	return EXIT_USAGE;
}

static bool is_wall(const struct evsel *evsel)
{
	return !evsel || evsel->tool == TOOL_SCOPE_TIME;
}

static bool is_clock(const struct evsel *evsel)
{
	return is_wall(evsel) || evsel__is_clock(evsel);
}

/*
 * Returns whether both events are the same clock. NULL stands for `time`, the run's duration. With
 * -b, all clocks are the same. Scopes have two clocks: wall time and CPU time.
 */
static bool is_same_clock(const struct raw_options *raw, const struct evsel *a,
			  const struct evsel *b)
{
	return is_clock(a) && is_clock(b) && (!raw->to->count.scopes || is_wall(a) == is_wall(b));
}

/*
 * Checks a percentile in --outliers. pstat computes the percentile from the histogram, and there is
 * only one histogram. So --hist and --outliers must name the same event, or the same clock.
 */
static int resolve_percentile(const struct raw_options *raw, const struct outlier_spec *spec)
{
	const struct evsel *hist = raw->to->count.hist;

	if (!spec->by_percentile || !hist || hist == spec->evsel ||
	    is_same_clock(raw, hist, spec->evsel))
		return 0;
	pr_err("--outliers %s and --hist name different events, but percentiles come from the "
	       "histogram of --hist\nname the same event in both options",
	       raw->outliers);
	return EXIT_CONFLICT;
}

static int resolve_event(const struct raw_options *raw, const char *name, struct outlier_spec *spec)
{
	spec->evsel = find_event(raw, name);
	if (!spec->evsel && (!name || strcmp(name, OUTLIER_TIME) != 0))
		return refuse_event(raw, name);
	if (spec->has_unit && !is_clock(spec->evsel)) {
		pr_err("--outliers %s: %s does not count time: give a number without a unit",
		       raw->outliers, spec->evsel->name);
		return EXIT_USAGE;
	}
	return resolve_percentile(raw, spec);
}

int stat_outliers__resolve(struct raw_options *raw)
{
	struct outlier_spec *spec = &raw->to->outliers;
	struct strbuf why = STRBUF_INIT;
	const char *event;
	int code = 0;

	if (outlier_spec__parse(raw->outliers, spec, &event, &why)) {
		pr_err("--outliers %s: %s", log__value(raw->outliers), why.text);
		code = EXIT_USAGE;
	}
	code = code ?: resolve_event(raw, event, spec);
	raw->to->count.outliers = spec;
	strbuf__free(&why);
	return code;
}
