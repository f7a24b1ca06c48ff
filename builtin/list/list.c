// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat list: the events of this machine (util/event/event-list.h), and with --check whether each opens here (util/count/fd/open-check.h);
 * list-print.c shows them. Metrics are list-metrics.c's, and list-metric-groups.c's.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/list/list-metrics.h"
#include "builtin/list/list-print.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/fd/open-check.h"
#include "util/event/event-list.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/event/vendor.h"

enum {
	OPT_CHECK = 0x100,
	OPT_NO_DESC,
	OPT_DEPRECATED,
	OPT_EVENTS_DIR,
	OPT_METRICS_FILE,
};

static const struct argp_option options_table[] = {
	{ "check", OPT_CHECK, NULL, 0, "open each event, and say whether it opens here and if not why not", 0 },
	{ "json", 'j', NULL, 0, "as JSON", 0 },
	{ "desc", 'd', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "no-desc", OPT_NO_DESC, NULL, 0, "only names", 0 },
	{ "long-desc", 'v', NULL, 0, "long descriptions, encodings and the fields of tracepoints", 0 },
	{ "deprecated", OPT_DEPRECATED, NULL, 0, "deprecated events too", 0 },
	{ "events-dir", OPT_EVENTS_DIR, "DIR", 0,
	  "the vendors' event files; default: $PSTAT_EVENTS, or those that are installed", 0 },
	{ "metrics-file", OPT_METRICS_FILE, "FILE", 0, "metrics as vendors publish them for perf (JSON)", 0 },
	{ 0 }
};

/* Words that stand for kinds; perf's. */
static const struct subject {
	const char *name;
	unsigned int kinds;
} subjects[] = {
	{ "hw", 1 << EVENT_HARDWARE },
	{ "hardware", 1 << EVENT_HARDWARE },
	{ "sw", 1 << EVENT_SOFTWARE | 1 << EVENT_TOOL },
	{ "software", 1 << EVENT_SOFTWARE | 1 << EVENT_TOOL },
	{ "tool", 1 << EVENT_TOOL },
	{ "cache", 1 << EVENT_CACHE },
	{ "hwcache", 1 << EVENT_CACHE },
	{ "pmu", 1 << EVENT_PMU | 1 << EVENT_VENDOR },
	{ "vendor", 1 << EVENT_VENDOR },
	{ "raw", 1 << EVENT_FORM },
	{ "tracepoint", 1 << EVENT_TRACEPOINT },
	{ NULL, 0 },
};

#define ALL_KINDS ((1U << NR_EVENT_KINDS) - 1)

struct list_options {
	struct event_query query;
	struct list_style style;
	bool subject_given;
	bool metrics, groups; /* of metrics; and no events */
	bool sdt;
	const char *events_dir, *metrics_file;
	const char **globs; /* query.globs */
};

static const struct subject *find_subject(const char *word)
{
	for (const struct subject *row = subjects; row->name; row++)
		if (!strcmp(word, row->name))
			return row;
	return NULL;
}

static void add_word(struct list_options *options, const char *word)
{
	const struct subject *subject = find_subject(word);

	if (!strcmp(word, "metrics") || !strcmp(word, "metric")) {
		options->metrics = true;
	} else if (!strcmp(word, "metricgroup") || !strcmp(word, "metricgroups")) {
		options->groups = true;
	} else if (!strcmp(word, "sdt")) {
		options->sdt = true;
	} else if (subject) {
		options->query.kinds |= subject->kinds;
		options->subject_given = true;
	} else {
		options->globs[options->query.nr_globs++] = word;
	}
}

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
	struct list_options *options = state->input;

	switch (key) {
	case OPT_CHECK:
		options->style.check = true;
		break;
	case 'j':
		options->style.json = true;
		break;
	case 'd':
		break;
	case OPT_NO_DESC:
		options->style.names_only = true;
		break;
	case 'v':
		options->style.details = true;
		break;
	case OPT_DEPRECATED:
		options->query.deprecated = true;
		break;
	case OPT_EVENTS_DIR:
		options->events_dir = arg;
		break;
	case OPT_METRICS_FILE:
		options->metrics_file = arg;
		break;
	case ARGP_KEY_ARG:
		add_word(options, arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_word,
	.args_doc = "[GLOB|hw|sw|cache|tool|pmu|vendor|raw|tracepoint|metrics|metricgroup…]",
	.doc = "List the events that have a name on this machine, by kind; or the metrics of -M, or their groups.\v"
	       "GLOB is a pattern for names, or a part of one: pstat list 'sched:*'",
};

struct list {
	const struct event_env *env;
	struct list_printer *printer;
	const struct list_style *style;
	int nr;	       /* events that were printed */
	int write_err; /* what the printer gave */
	bool waited;   /* said that tracepoints take their time */
};

/* All events that the name stands for must open. */
static enum open_verdict check_evlist(const struct evlist *evlist, struct strbuf *why)
{
	enum open_verdict worst = OPENS;
	const struct evsel *evsel;

	evlist__for_each(evlist, evsel) {
		enum open_verdict one = open_check__evsel(evsel, why);

		if (one > worst)
			worst = one;
		if (worst == OPENS_NOT)
			break;
	}
	return worst;
}

static enum open_verdict check(const struct list *list, const char *name, struct strbuf *why)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct evlist *evlist = evlist__new();
	enum open_verdict verdict = OPENS_NOT;
	int err = evlist ? parse_events(evlist, name, list->env, &error) : -ENOMEM;

	if (!err)
		verdict = check_evlist(evlist, why);
	else if (err == -EINVAL)
		strbuf__adds(why, error.reason.text);
	else
		strbuf__adds(why, strerror(-err));
	parse_error__free(&error);
	evlist__free(evlist);
	return verdict;
}

static int print(struct list *list, const struct listed_event *event, const enum open_verdict *verdict, const char *why)
{
	list->nr++;
	return list->write_err = list_printer__event(list->printer, event, verdict, why);
}

static int list_one(const struct listed_event *event, void *arg)
{
	struct strbuf why = STRBUF_INIT;
	struct list *list = arg;
	enum open_verdict verdict;
	int err;

	if (!list->style->check || event->kind == EVENT_FORM)
		return print(list, event, NULL, "");
	/* closing one waits until no CPU can be inside it */
	if (event->kind == EVENT_TRACEPOINT && !list->waited) {
		pr_info("each tracepoint takes the kernel some 30 ms to close: `pstat list --check GLOB` for a few of "
			"them");
		list->waited = true;
	}
	verdict = check(list, event->name, &why);
	err = strbuf__failed(&why) ? -ENOMEM : print(list, event, &verdict, why.text);
	strbuf__free(&why);
	return err;
}

static void print_notes(enum log_level level, const char *notes)
{
	if (*notes)
		log__print(level, "%.*s", (int)strlen(notes) - 1, notes);
}

static bool names_tracepoints(const struct list_options *options)
{
	for (int i = 0; i < options->query.nr_globs; i++)
		if (strchr(options->globs[i], ':'))
			return true;
	return options->subject_given && options->query.kinds & 1U << EVENT_TRACEPOINT;
}

/* Why is there nothing of what was asked for? @notes: what could not be read. */
static void print_missing(const struct list_options *options, struct vendor *vendor, const char *notes)
{
	const char *missing = options->query.kinds & 1U << EVENT_VENDOR ? vendor__missing(vendor) : NULL;

	for (int i = 0; i < options->query.nr_globs; i++)
		pr_warn("no event matches %s", options->globs[i]);
	if (!options->query.nr_globs && !*notes)
		pr_warn("this machine has no events of that kind%s%s", missing ? "\n" : "", missing ?: "");
}

static int list_only_metrics(const struct list_options *options)
{
	struct list_metrics_options metrics = {
		.globs = options->globs,
		.nr_globs = options->query.nr_globs,
		.file = options->metrics_file,
		.by_group = options->groups,
		.json = options->style.json,
		.details = options->style.details,
		.names_only = options->style.names_only,
	};
	int code;

	if (options->subject_given || options->style.check || options->query.deprecated) {
		pr_err("%s and %s do not go together: that is of events", options->groups ? "metricgroup" : "metrics",
		       options->style.check	 ? "--check" :
		       options->query.deprecated ? "--deprecated" :
						   "a kind of events");
		return EXIT_CONFLICT;
	}
	metrics.roots = sysroots__host();
	metrics.vendor = vendor__new(options->events_dir, metrics.roots);
	if (!metrics.vendor)
		return command__out_of_memory();
	code = list_metrics(&metrics, stdout);
	print_notes(LOG_WARNING, vendor__notes(metrics.vendor));
	vendor__free(metrics.vendor);
	return code;
}

static int list_events(const struct list_options *options)
{
	struct strbuf notes = STRBUF_INIT;
	struct event_env env = { .roots = sysroots__host(), .bpf_prog = true };
	struct list list = { .env = &env, .style = &options->style };
	int err;

	env.vendor = vendor__new(options->events_dir, env.roots);
	err = env.vendor ? 0 : -ENOMEM;
	err = err ?: list_printer__new(&options->style, stdout, &list.printer);
	err = err ?: event_list__for_each(&env, &options->query, &notes, list_one, &list);
	if (!err)
		err = list.write_err = list_printer__end(list.printer);
	if (err == -ENOMEM)
		log__out_of_memory();
	else if (err)
		pr_err("cannot %s: %s", list.write_err ? "write the list" : "list the events", strerror(-err));
	if (!err && !list.nr)
		print_missing(options, env.vendor, notes.text);
	print_notes(!list.nr || names_tracepoints(options) ? LOG_WARNING : LOG_INFO, notes.text);
	print_notes(LOG_WARNING, env.vendor ? vendor__notes(env.vendor) : "");
	strbuf__free(&notes);
	list_printer__free(list.printer);
	vendor__free(env.vendor);
	return err ? EXIT_FAILED : 0;
}

static int check_words(const struct list_options *options)
{
	if (options->sdt) {
		pr_err("sdt: markers of programs are no events here\n"
		       "use `perf list sdt`, and `perf probe` to make tracepoints of them");
		return EXIT_USAGE;
	}
	if (options->metrics && options->groups) {
		pr_err("metrics and metricgroup do not go together: list one, then the other");
		return EXIT_CONFLICT;
	}
	return 0;
}

int cmd_list(int argc, char **argv)
{
	struct list_options options = { 0 };
	int code;

	options.globs = calloc((size_t)argc + 1, sizeof(*options.globs));
	if (!options.globs)
		return command__out_of_memory();
	code = command__parse(&argp, "pstat list", argc, argv, &options);
	code = code ?: check_words(&options);
	if (code)
		goto out;
	code = command__events_dir(options.events_dir, &options.events_dir);
	if (code)
		goto out;
	if (options.metrics || options.groups || options.metrics_file) {
		code = list_only_metrics(&options);
		goto out;
	}
	if (!options.subject_given && !options.query.nr_globs)
		options.query.kinds = ALL_KINDS;
	options.query.globs = options.globs;
	options.query.details = options.style.details || options.style.json;
	if (options.style.check)
		log__set_level(LOG_INFO);
	code = list_events(&options);
out:
	free(options.globs);
	return code;
}
