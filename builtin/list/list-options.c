// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/list/list-options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "util/base/braces.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"

enum {
	OPT_CHECK = 0x100,
	OPT_NO_DESC,
	OPT_DEPRECATED,
	OPT_EVENTS_DIR,
	OPT_METRICS_FILE,
	OPT_RAW_DUMP,
	OPT_DETAILS,
	OPT_UNIT,
	OPT_CPUTYPE,
	OPT_DEBUG,
	OPT_FREE,
};

static const struct argp_option options_table[] = {
	{ "check", OPT_CHECK, NULL, 0, "try to open each event, and print why if it fails", 0 },
	{ "free", OPT_FREE, NULL, 0,
	  "list the counters that are free now, and the processes that hold perf events", 0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ "desc", 'd', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "no-desc", OPT_NO_DESC, NULL, 0, "print names without descriptions", 0 },
	{ "long-desc", 'v', NULL, 0,
	  "also print long descriptions, encodings, and the fields of tracepoints", 0 },
	{ "details", OPT_DETAILS, NULL, 0,
	  "also print the encodings of events, the expressions of metrics, and the addresses and "
	  "other names of functions and USDT points",
	  0 },
	{ "deprecated", OPT_DEPRECATED, NULL, 0, "also list deprecated events", 0 },
	{ "unit", OPT_UNIT, "PMU", 0,
	  "list only the events of this PMU, which can be a name or a pattern", 0 },
	{ "cputype", OPT_CPUTYPE, "TYPE", 0,
	  "list only the events of this kind of core: core, atom", 0 },
	{ "raw-dump", OPT_RAW_DUMP, NULL, 0, "print only names, for scripts", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE instead of standard output", 0 },
	{ "debug", OPT_DEBUG, NULL, 0,
	  "print which files could not be read; if given twice, also debug messages", 0 },
	{ "events-dir", OPT_EVENTS_DIR, "DIR", 0,
	  "directory of the vendors' event files; default: $PSTAT_EVENTS or the installed files",
	  0 },
	{ "metrics-file", OPT_METRICS_FILE, "FILE", 0, "file of metrics in perf's JSON format", 0 },
	{ 0 }
};

/* The words that select kinds of events. */
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

static const struct subject *find_subject(const char *word)
{
	for (const struct subject *row = subjects; row->name; row++)
		if (!strcmp(word, row->name))
			return row;
	return NULL;
}

static bool is_first(const struct list_options *options)
{
	return !options->query.nr_globs && !options->subject_given && !options->metrics &&
	       !options->groups && !options->sdt && !options->pfm;
}

static void take_word(void *to, char *word, struct argp_state *state)
{
	struct list_options *options = to;
	const struct subject *subject = find_subject(word);

	(void)state;
	/*
	 * after `scopes`, each word is the file or a glob, even if it also names a kind of event
	 */
	if (options->scopes) {
		options->globs[options->query.nr_globs++] = word;
	} else if (!strcmp(word, "scopes") && is_first(options)) {
		options->scopes = true;
	} else if (!strcmp(word, "metrics") || !strcmp(word, "metric")) {
		options->metrics = true;
	} else if (!strcmp(word, "metricgroup") || !strcmp(word, "metricgroups")) {
		options->groups = true;
	} else if (!strcmp(word, "sdt")) {
		options->sdt = true;
	} else if (!strcmp(word, "pfm")) {
		options->pfm = true;
	} else if (subject) {
		options->query.kinds |= subject->kinds;
		options->subject_given = true;
	} else {
		options->globs[options->query.nr_globs++] = word;
	}
}

static bool take_option(void *to, int key, char *arg)
{
	struct list_options *options = to;

	switch (key) {
	case OPT_CHECK:
		options->style.check = true;
		break;
	case OPT_FREE:
		options->free = true;
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
		options->style.details = options->style.encodings = true;
		break;
	case OPT_DETAILS:
		options->style.encodings = true;
		break;
	case OPT_DEPRECATED:
		options->query.deprecated = true;
		break;
	case OPT_UNIT:
		options->query.unit = arg;
		break;
	case OPT_CPUTYPE:
		options->cputype = arg;
		break;
	case OPT_RAW_DUMP:
		options->style.raw_dump = true;
		break;
	case 'o':
		options->output = arg;
		break;
	case OPT_DEBUG:
		options->debug++;
		break;
	case OPT_EVENTS_DIR:
		options->events_dir = arg;
		break;
	case OPT_METRICS_FILE:
		options->metrics_file = arg;
		break;
	default:
		return false;
	}
	return true;
}

/* Expands braces in the globs. Returns 0, or the exit code after reporting an error. */
static int expand_globs(struct list_options *options)
{
	struct strbuf words = STRBUF_INIT;
	const char **globs;
	int err = 0, nr = 0;

	for (int i = 0; !err && i < options->query.nr_globs; i++) {
		err = braces__expand_word(options->globs[i], '\n', &words);
		strbuf__addc(&words, '\n');
		if (err == -E2BIG)
			pr_err("%s: the braces have too many alternatives", options->globs[i]);
	}
	for (size_t i = 0; i < words.len; i++)
		nr += words.text[i] == '\n';
	globs = calloc((size_t)nr + 1, sizeof(*globs));
	if (err == -ENOMEM || strbuf__failed(&words) || !globs)
		err = command__out_of_memory();
	free(options->globs);
	options->globs = globs;
	options->words = strbuf__detach(&words);
	options->query.nr_globs = 0;
	for (char *word = options->words; !err && nr--; word = strchr(word, '\0') + 1) {
		*strchr(word, '\n') = '\0';
		globs[options->query.nr_globs++] = word;
	}
	return err == -E2BIG ? EXIT_USAGE : err;
}

static const struct command_words command_line = {
	.options = options_table,
	.take_option = take_option,
	.take_word = take_word,
	.args_doc = "[GLOB|KIND...]\nscopes FILE [GLOB...]",
	.doc = "List the events of this machine. GLOB selects names that match it or contain it. "
	       "KIND is hw, sw, cache, tool, pmu, vendor, raw, tracepoint, sdt, pfm, metrics, or "
	       "metricgroup. With the word scopes, list the functions and USDT points of FILE.\n"
	       "\n"
	       "Examples:\n"
	       "  pstat list hw              the events of the CPU's counters\n"
	       "  pstat list 'sched:*'       the tracepoints of the scheduler\n"
	       "  pstat list --check hw      which events can be opened, and why others cannot\n"
	       "  pstat list --free          which counters are free, and who holds the others\n"
	       "  pstat list metrics         the metrics that -M accepts\n"
	       "  pstat list scopes libz     what --scope can count in a library\n",
};

int list_options__parse(struct list_options *options, int argc, char **argv)
{
	int code;

	options->globs = calloc((size_t)argc + 1, sizeof(*options->globs));
	if (!options->globs)
		return command__out_of_memory();
	code = command__parse(&command_line, "pstat list", argc, argv, options);
	code = code ?: expand_globs(options);
	if (code)
		return code;
	if (options->style.check && (options->metrics || options->groups || options->scopes) &&
	    !options->subject_given) {
		pr_err("%s and --check cannot be combined: only events can be opened",
		       options->scopes ? "scopes" :
		       options->groups ? "metricgroup" :
					 "metrics");
		return EXIT_CONFLICT;
	}
	if (options->metrics_file && !options->groups && !options->subject_given &&
	    !options->scopes)
		options->metrics = true;
	options->events = options->subject_given ||
			  !(options->metrics || options->groups || options->scopes ||
			    options->sdt || options->pfm);
	if (!options->subject_given && !options->query.nr_globs)
		options->query.kinds = ALL_KINDS;
	options->query.globs = options->globs;
	options->query.details = options->style.details || options->style.json;
	return command__events_dir(options->events_dir, &options->events_dir);
}

bool list_options__choose_events(const struct list_options *options)
{
	return options->query.nr_globs || options->subject_given || options->metrics ||
	       options->groups || options->scopes || options->sdt || options->pfm ||
	       options->query.unit || options->cputype || options->style.check ||
	       options->style.details || options->style.encodings;
}

void list_options__free(struct list_options *options)
{
	free(options->globs);
	free(options->words);
}
