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
 * first perf event, or, if there is none, scope-time.
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

/* ---- --hist ---- */

int stat_outliers__resolve_hist(struct raw_options *raw)
{
	struct strbuf names = STRBUF_INIT;

	raw->to->count.hist = find_event(raw, *raw->hist ? raw->hist : NULL);
	if (raw->to->count.hist)
		return 0;
	add_names(raw, &names);
	if (names.len)
		names.text[names.len - 2] = '\0';
	if (*raw->hist)
		pr_err("--hist=%s: this event is not counted (counted: %s)\nadd it to -e",
		       raw->hist, names.len ? names.text : "none");
	else
		pr_err("--hist needs an event that is counted in each run: give -e too");
	strbuf__free(&names);
	return EXIT_USAGE;
}

/* ---- --outliers ---- */

static int refuse_event(const struct raw_options *raw, const char *name)
{
	struct strbuf names = STRBUF_INIT;

	if (!name) {
		pr_err("--outliers %s needs an event that is counted in each run: give -e too, "
		       "or name '%s', as in --outliers 50us,%s",
		       raw->outliers, OUTLIER_TIME, OUTLIER_TIME);
		return EXIT_USAGE;
	}
	add_names(raw, &names);
	pr_err("--outliers %s: '%s' is not counted (counted: %s%s)\nadd it to -e", raw->outliers,
	       name, names.text, OUTLIER_TIME);
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
 * Are both events the same clock? BPF programs have a single clock. Scopes have wall time and CPU
 * time.
 */
static bool is_same_clock(const struct raw_options *raw, const struct evsel *a,
			  const struct evsel *b)
{
	return is_clock(a) && is_clock(b) && (!raw->to->count.scopes || is_wall(a) == is_wall(b));
}

/*
 * A percentile is computed from the histogram. There is only one histogram, so both must be for the
 * same event.
 */
static int resolve_percentile(const struct raw_options *raw, const struct outlier_spec *spec)
{
	const struct evsel *hist = raw->to->count.hist;

	if (!spec->by_percentile || !hist || hist == spec->evsel ||
	    is_same_clock(raw, hist, spec->evsel))
		return 0;
	pr_err("--outliers %s and --hist cannot be combined: there is only one histogram: name "
	       "the same event in both",
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
