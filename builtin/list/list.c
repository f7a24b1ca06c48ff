// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat list: lists the events of this machine (util/event/event-list.h). With --check, also tests
 * whether the events can be opened (util/count/fd/open-check.h). list-print.c prints the events.
 * list.h declares the functions that print the other lists.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/list/list.h"
#include "builtin/list/list-options.h"
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
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

struct list {
	const struct event_env *env;
	struct list_printer *printer;
	const struct list_style *style;
	int nr;	       /* number of printed events */
	int write_err; /* 0, or the -errno of the printer */
	bool waited;   /* pstat has reported that checking tracepoints takes time */
};

/*
 * Checks all events that one name selects. Returns the worst verdict, because `-e NAME` works only
 * if all these events can be opened.
 */
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

static int print(struct list *list, const struct listed_event *event,
		 const enum open_verdict *verdict, const char *why)
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
	/*
	 * to close a tracepoint, the kernel waits until no CPU is running the tracepoint's handlers
	 */
	if (event->kind == EVENT_TRACEPOINT && !list->waited) {
		pr_info("the kernel needs about 30 ms to close each tracepoint\nto check fewer "
			"tracepoints, give a pattern: `pstat list --check GLOB`");
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

/* Explains why the list is empty. @notes describes files that could not be read. */
static void print_missing(const struct list_options *options, struct vendor *vendor,
			  const char *notes)
{
	const char *missing = options->query.kinds & 1U << EVENT_VENDOR ? vendor__missing(vendor) :
									  NULL;

	for (int i = 0; i < options->query.nr_globs; i++)
		pr_warn("no event matches %s", options->globs[i]);
	if (!options->query.nr_globs && !*notes)
		pr_warn("this machine has no events of this kind%s%s", missing ? "\n" : "",
			missing ?: "");
}

/*
 * Sets *@unit to the name of the PMU that `--cputype @type` selects. The caller must free the name.
 * Returns 0, or the exit code after reporting an error.
 */
static int unit_of_cputype(const char *type, char **unit)
{
	struct pmus *pmus = pmus__new(sysroots__host());
	struct pmu *pmu = pmus ? pmus__find_filter(pmus, type) : NULL;
	int code = 0;

	*unit = pmu ? strdup(pmu__name(pmu)) : NULL;
	if (!pmus || (pmu && !*unit)) {
		code = command__out_of_memory();
	} else if (!pmu) {
		log__plain("ERROR: cputype is not supported!\n");
		code = EXIT_FAILED;
	}
	pmus__free(pmus);
	return code;
}

static int list_the_metrics(const struct list_options *options, struct vendor *vendor,
			    struct list_out *out)
{
	struct list_metrics_options metrics = {
		.globs = options->globs,
		.nr_globs = options->query.nr_globs,
		.file = options->metrics_file,
		.vendor = vendor,
		.roots = sysroots__host(),
		.style = &options->style,
		.quiet = options->events,
	};
	int code = 0;

	if (options->metrics)
		code = list_metrics(&metrics, out);
	metrics.by_group = true;
	if (!code && options->groups)
		code = list_metrics(&metrics, out);
	return code;
}

static int list_events(const struct list_options *options, struct vendor *vendor,
		       struct list_out *out)
{
	struct strbuf notes = STRBUF_INIT;
	struct event_env env = {
		.roots = sysroots__host(), .bpf_prog = true, .scope = true, .vendor = vendor
	};
	struct list list = { .env = &env, .style = &options->style };
	int err;

	err = list_printer__new(&options->style, out, &list.printer);
	err = err ?: event_list__for_each(&env, &options->query, &notes, list_one, &list);
	if (!err)
		err = list.write_err = list_printer__end(list.printer);
	if (err == -ENOMEM)
		log__out_of_memory();
	else if (err)
		pr_err("cannot %s: %s", list.write_err ? "write the list" : "list the events",
		       strerror(-err));
	if (!err && !list.nr && !options->style.raw_dump && !options->metrics && !options->groups)
		print_missing(options, vendor, notes.text);
	print_notes(!list.nr || names_tracepoints(options) ? LOG_WARNING : LOG_INFO, notes.text);
	strbuf__free(&notes);
	list_printer__free(list.printer);
	return err ? EXIT_FAILED : 0;
}

static int list_all(const struct list_options *options, struct vendor *vendor, FILE *file)
{
	struct list_out out = { .file = file };
	int code = 0;

	if (options->style.json)
		fputc('[', file);
	if (options->events)
		code = list_events(options, vendor, &out);
	if (options->scopes)
		code = list_scopes(options, &out);
	code = code ?: list_the_metrics(options, vendor, &out);
	if (options->sdt && !options->style.raw_dump)
		pr_warn("sdt: `pstat list scopes FILE` lists the USDT points of FILE\n`perf list "
			"sdt` lists the USDT points that perf has recorded");
	if (options->pfm && !options->style.raw_dump)
		pr_warn("pfm: pstat does not list the events of libpfm4\nlibpfm4's program "
			"showevtinfo prints the names that --pfm-events accepts");
	if (options->style.json)
		fputs("\n]\n", file);
	return code;
}

static int flush(FILE *file)
{
	int err = fflush(file) ? errno : ferror(file) ? EIO : 0;

	if (!err)
		return 0;
	pr_err("cannot write the list: %s", strerror(err));
	return EXIT_FAILED;
}

static int list(const struct list_options *options)
{
	struct vendor *vendor = vendor__new(options->events_dir, sysroots__host());
	FILE *file = stdout;
	int code;

	if (!vendor)
		return command__out_of_memory();
	if (options->output)
		file = fopen(options->output, "we");
	if (!file) {
		pr_err("-o %s: cannot write the file: %s", log__value(options->output),
		       strerror(errno));
		vendor__free(vendor);
		return EXIT_FAILED;
	}
	code = options->free ? list_free(options, file) : list_all(options, vendor, file);
	code = code ?: flush(file);
	if (options->output && fclose(file) && !code) {
		pr_err("-o %s: cannot write the file: %s", options->output, strerror(errno));
		code = EXIT_FAILED;
	}
	print_notes(LOG_WARNING, vendor__notes(vendor));
	vendor__free(vendor);
	return code;
}

int command__list(int argc, char **argv)
{
	struct list_options options = { 0 };
	char *unit = NULL;
	int code = list_options__parse(&options, argc, argv);

	if (!code && options.cputype && !options.query.unit) {
		code = unit_of_cputype(options.cputype, &unit);
		options.query.unit = unit;
	}
	if (options.style.check || options.debug)
		log__set_level(options.debug > 1 ? LOG_DEBUG : LOG_INFO);
	if (!code && options.free && list_options__choose_events(&options)) {
		pr_err("--free lists counters, not events: omit the words and options that choose "
		       "events");
		code = EXIT_CONFLICT;
	}
	code = code ?: list(&options);
	free(unit);
	list_options__free(&options);
	return code;
}
