// SPDX-License-Identifier: GPL-2.0-only
/*
 * argp hands over the words one by one (parse_word); what takes more than storing is done once all are known, in the order
 * of settle_*(): then an error is the same wherever on the line an option stood.
 */
#include "builtin/stat-options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat-symbols.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/number.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/filter.h"
#include "util/event/parse-events.h"
#include "util/event/vendor.h"
#include "util/machine/cpumap.h"
#include "util/machine/threadmap.h"

/* What perf stat counts when nothing is said, and for BPF programs what can happen inside one. */
#define DEFAULT_EVENTS \
	"task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses"
#define DEFAULT_CPU_EVENTS \
	"cpu-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses"
#define DEFAULT_PROG_EVENTS "run_cnt,task-clock,cycles,instructions"

/* Options without a letter. */
enum {
	OPT_INTERVAL_COUNT = 0x100,
	OPT_TIMEOUT,
	OPT_APPEND,
	OPT_NO_BIG_NUM,
	OPT_VERSION,
	OPT_FILTER,
	OPT_EVENTS_DIR,
};

static const struct argp_option options_table[] = {
	{ NULL, 0, NULL, 0, "What to count:", 1 },
	{ "event", 'e', "EVENT[,EVENT...]", 0, "events to count; may be given more than once", 1 },
	{ "filter", OPT_FILTER, "CONDITION", 0, "count the tracepoints of the -e before it only where this holds", 1 },
	{ "events-dir", OPT_EVENTS_DIR, "DIR", 0,
	  "the vendors' event files (mapfile.csv and JSON); default: $PSTAT_EVENTS", 1 },
	{ "no-inherit", 'i', NULL, 0, "do not count the children of counted tasks", 1 },

	{ NULL, 0, NULL, 0, "Whom to count (without any: COMMAND, or else all CPUs until SIGINT):", 2 },
	{ "bpf-prog", 'b', "ID[,ID...]", 0, "the runs of these BPF programs", 2 },
	{ "pid", 'p', "PID[,PID...]", 0, "all threads of these processes", 2 },
	{ "tid", 't', "TID[,TID...]", 0, "these threads", 2 },
	{ "all-cpus", 'a', NULL, 0, "all that runs on any CPU", 2 },
	{ "cpu", 'C', "CPU[,CPU-CPU...]", 0, "all that runs on these CPUs", 2 },

	{ NULL, 0, NULL, 0, "When:", 3 },
	{ "interval-print", 'I', "MS", 0, "print what was counted every MS milliseconds", 3 },
	{ "interval-count", OPT_INTERVAL_COUNT, "N", 0, "stop after N intervals", 3 },
	{ "timeout", OPT_TIMEOUT, "MS", 0, "stop after MS milliseconds; a command is ended", 3 },

	{ NULL, 0, NULL, 0, "How to show it:", 4 },
	{ "field-separator", 'x', "SEP", 0, "as values separated by SEP (\\t: tab)", 4 },
	{ "json-output", 'j', NULL, 0, "as JSON, an object a line", 4 },
	{ "output", 'o', "FILE", 0, "into FILE instead of stderr", 4 },
	{ "append", OPT_APPEND, NULL, 0, "add to the end of FILE", 4 },
	{ "no-big-num", OPT_NO_BIG_NUM, NULL, 0, "do not group the digits of large numbers", 4 },
	{ "verbose", 'v', NULL, 0, "say more: why an event is not counted; twice: debug messages", 4 },

	{ NULL, 0, NULL, 0, "Else:", -1 },
	{ "version", OPT_VERSION, NULL, 0,
	  "print the version; with -v the libraries', with -vv what this kernel allows", -1 },
	{ 0 }
};

/* A --filter, and the number of -e before it. */
struct raw_filter {
	const char *text;
	int nr_events;
};

/* Words as they came. */
struct raw_options {
	struct stat_options *to;
	const char *progs, *pids, *tids, *cpus;
	const char *interval, *interval_count, *timeout;
	const char *events_dir;
	struct vendor *vendor;
	bool all_cpus;
	struct strbuf events; /* -e given more than once: each NUL-terminated, in turn */
	int nr_events;
	struct raw_filter *filters; /* room for as many as there are words */
	int nr_filters;
};

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
	struct raw_options *raw = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &raw->to->metrics;
		break;
	case 'e':
		strbuf__add(&raw->events, arg, strlen(arg) + 1);
		raw->nr_events++;
		break;
	case OPT_EVENTS_DIR:
		raw->events_dir = arg;
		break;
	case OPT_FILTER:
		raw->filters[raw->nr_filters++] = (struct raw_filter){ arg, raw->nr_events };
		break;
	case 'i':
		raw->to->count.inherit = false;
		break;
	case 'b':
		raw->progs = arg;
		break;
	case 'p':
		raw->pids = arg;
		break;
	case 't':
		raw->tids = arg;
		break;
	case 'a':
		raw->all_cpus = true;
		break;
	case 'C':
		raw->cpus = arg;
		break;
	case 'I':
		raw->interval = arg;
		break;
	case OPT_INTERVAL_COUNT:
		raw->interval_count = arg;
		break;
	case OPT_TIMEOUT:
		raw->timeout = arg;
		break;
	case 'x':
		raw->to->csv_separator = !strcmp(arg, "\\t") ? "\t" : arg;
		break;
	case 'j':
		raw->to->json = true;
		break;
	case 'o':
		raw->to->output = arg;
		break;
	case OPT_APPEND:
		raw->to->append = true;
		break;
	case OPT_NO_BIG_NUM:
		raw->to->big_num = false;
		break;
	case 'v':
		raw->to->verbose++;
		break;
	case OPT_VERSION:
		raw->to->show_version = true;
		break;
	case ARGP_KEY_ARG:
		/* the command, and all that stands behind it is its own */
		raw->to->count.argv = &state->argv[state->next - 1];
		raw->to->argc = state->argc - state->next + 1;
		state->next = state->argc;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = { { &stat_metrics_argp, 0, "Metrics:", 4 }, { 0 } };

static const struct argp argp = {
	.children = children,
	.options = options_table,
	.parser = parse_word,
	.args_doc = "[--] [COMMAND [ARG...]]",
	.doc = "Count perf events: of a command, of tasks, of CPUs, or inside BPF programs.\v"
	       "With -b the counts are those of the time between the start and the end of each run of the programs; a "
	       "COMMAND "
	       "then only says for how long. Example:\n\n"
	       "  pstat -b 42 -I 1000 -e run_cnt,cycles,instructions\n",
};

/* ---- options that do not go together ---- */

static int refuse_both(const char *one, const char *other, const char *why)
{
	pr_err("%s and %s do not go together: %s", one, other, why);
	return EXIT_CONFLICT;
}

static int settle_conflicts(const struct raw_options *raw)
{
	const char *tasks = raw->pids ? "-p" : raw->tids ? "-t" : NULL;

	if (raw->pids && raw->tids)
		return refuse_both("-p", "-t", "name threads or whole processes");
	if (tasks && raw->progs)
		return refuse_both("-b", tasks, "-b counts the runs of BPF programs in whichever task they run");
	if (tasks && raw->all_cpus)
		return refuse_both("-a", tasks, "count tasks or CPUs");
	if (tasks && raw->cpus)
		return refuse_both("-C", tasks, "count tasks or CPUs");
	if (raw->to->csv_separator && raw->to->json)
		return refuse_both("-x", "-j", "choose one format");
	if (raw->interval_count && !raw->interval) {
		pr_err("--interval-count counts the intervals of -I: give -I too");
		return EXIT_CONFLICT;
	}
	if (raw->to->append && !raw->to->output) {
		pr_err("--append adds to the file of -o: give -o too");
		return EXIT_CONFLICT;
	}
	return 0;
}

/* ---- values ---- */

static int settle_number(const char *option, const char *text, uint64_t max, const char *what, uint64_t *value)
{
	int err;

	if (!text)
		return 0;
	err = number__parse_uint(text, 1, max, value);
	if (!err)
		return 0;
	pr_err("%s %s: %s must be a whole number from 1 to %llu", option, text, what, (unsigned long long)max);
	return EXIT_USAGE;
}

static int settle_times(const struct raw_options *raw)
{
	struct stat_config *cfg = &raw->to->count;
	const uint64_t week_ms = 7ULL * 24 * 3600 * 1000;
	int code = settle_number("-I", raw->interval, week_ms, "the interval in milliseconds", &cfg->interval_ns);

	if (!code)
		code = settle_number("--timeout", raw->timeout, week_ms, "the time in milliseconds", &cfg->timeout_ns);
	if (!code)
		code = settle_number("--interval-count", raw->interval_count, UINT32_MAX, "the number of intervals",
				     &cfg->interval_count);
	cfg->interval_ns *= NSEC_PER_MSEC;
	cfg->timeout_ns *= NSEC_PER_MSEC;
	return code;
}

static int settle_output(const struct raw_options *raw)
{
	if (raw->to->csv_separator && !*raw->to->csv_separator) {
		pr_err("-x '': the separator is empty\ntry -x, or -x \\\\t");
		return EXIT_USAGE;
	}
	return 0;
}

/* ---- targets ---- */

static int add_prog(struct stat_options *options, const char *word)
{
	uint64_t id;
	int err = number__parse_uint(word, 1, UINT32_MAX, &id);

	if (err) {
		pr_err("-b %s: '%s' is no id of a BPF program: ids are whole numbers from 1 to %u\nsee `bpftool prog`",
		       options->prog_text, word, UINT32_MAX);
		return EXIT_USAGE;
	}
	for (int i = 0; i < options->count.nr_progs; i++)
		if (options->prog_ids[i] == id)
			return 0;
	options->prog_ids[options->count.nr_progs++] = (uint32_t)id;
	return 0;
}

static int settle_progs(const struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	char *words, *rest, *word;
	int code = 0;

	if (!raw->progs)
		return 0;
	options->prog_text = strdup(raw->progs);
	options->prog_ids = calloc(strlen(raw->progs) + 1, sizeof(uint32_t));
	rest = words = strdup(raw->progs);
	if (!options->prog_text || !options->prog_ids || !words) {
		pr_err("out of memory");
		code = EXIT_FAILED;
	}
	while (!code && (word = strsep(&rest, ",")))
		code = add_prog(options, word);
	free(words);
	options->count.prog_ids = options->prog_ids;
	return code;
}

static int settle_cpus(const struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct cpumap *online = NULL;
	int err, code = 0;

	if (!raw->cpus)
		return 0;
	options->cpu_text = raw->cpus;
	err = cpumap__parse(raw->cpus, &options->count.cpus);
	if (err) {
		pr_err("-C %s: no list of CPUs: write it as 0-3,8", raw->cpus);
		return EXIT_USAGE;
	}
	err = cpumap__online(sysroots__host(), &online);
	if (err) {
		pr_err("cannot read the list of online CPUs: %s", strerror(-err));
		return EXIT_FAILED;
	}
	for (int i = 0; !code && i < options->count.cpus->nr; i++) {
		if (cpumap__index(online, options->count.cpus->ids[i]) < 0) {
			struct strbuf list = STRBUF_INIT;

			cpumap__format(online, &list);
			pr_err("-C %s: CPU %d is not online: these are: %s", raw->cpus, options->count.cpus->ids[i],
			       list.text);
			strbuf__free(&list);
			code = EXIT_USAGE;
		}
	}
	cpumap__free(online);
	return code;
}

static int settle_tasks(const struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	const char *option = raw->pids ? "-p" : "-t", *list = raw->pids ?: raw->tids;
	struct strbuf why = STRBUF_INIT;
	int err;

	if (!list)
		return 0;
	options->pid_text = raw->pids;
	options->tid_text = raw->tids;
	err = (raw->pids ? threadmap__of_pids : threadmap__of_tids)(sysroots__host(), list, &options->count.threads,
								    &why);
	if (err)
		pr_err("%s %s: %s", option, list, why.len ? why.text : strerror(-err));
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

static int settle_targets(const struct raw_options *raw)
{
	struct stat_config *cfg = &raw->to->count;
	int code = settle_progs(raw);

	code = code ?: settle_cpus(raw);
	code = code ?: settle_tasks(raw);
	raw->to->all_cpus = raw->all_cpus;
	cfg->system_wide = raw->all_cpus || raw->cpus || (!cfg->argv && !cfg->threads && !cfg->nr_progs);
	return code;
}

/* ---- events ---- */

static int add_events(const struct raw_options *raw, const char *text)
{
	struct stat_options *options = raw->to;
	struct event_env env = { .roots = sysroots__host(),
				 .vendor = raw->vendor,
				 .bpf_prog = options->count.nr_progs > 0 };
	struct parse_error error = PARSE_ERROR_INIT;
	struct stat_symbols symbols;
	int err;

	if (strstr(text, "mem:")) {
		stat_symbols__find(&symbols, &options->count);
		env.symbols = &symbols.source;
	}
	err = parse_events(options->evlist, text, &env, &error);

	if (*vendor__notes(raw->vendor))
		pr_warn("%.*s", (int)strlen(vendor__notes(raw->vendor)) - 1, vendor__notes(raw->vendor));
	if (err == -EINVAL)
		parse_error__print(&error);
	else if (err)
		pr_err("-e %s: %s", text, strerror(-err));
	parse_error__free(&error);
	return err == -EINVAL ? EXIT_USAGE : err ? EXIT_FAILED : 0;
}

static int add_metrics(const struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct event_env env = { .roots = sysroots__host(),
				 .vendor = raw->vendor,
				 .bpf_prog = options->count.nr_progs > 0 };

	return stat_metrics__add_events(&options->metrics, &options->count, &env, options->evlist);
}

static int refuse_bpf_counters(const struct evlist *evlist)
{
	const struct evsel *evsel;

	evlist__for_each(evlist, evsel) {
		if (evsel->bpf_counter) {
			pr_err("%s: counters shared through BPF (modifier b) are not in this version\n"
			       "leave out the b to count it the native way",
			       evsel->name);
			return EXIT_USAGE;
		}
	}
	return 0;
}

/* The filters that stand behind the -e number @nr_events, whose events begin at @first. */
static int add_filters(const struct raw_options *raw, int nr_events, int first)
{
	for (int i = 0; i < raw->nr_filters; i++) {
		const char *text = raw->filters[i].text;
		int err;

		if (raw->filters[i].nr_events != nr_events)
			continue;
		err = nr_events ? event_filter__add(raw->to->evlist, first, text) : -ENOENT;
		if (!err)
			continue;
		pr_err("--filter '%s': %s", text,
		       err != -ENOENT ?
			       strerror(-err) :
		       nr_events ?
			       "none of the events of the -e before it is a tracepoint, and only these have fields" :
			       "it is about the tracepoints of the -e before it: give it behind that");
		return err == -ENOENT ? EXIT_USAGE : EXIT_FAILED;
	}
	return 0;
}

static const char *default_events(const struct stat_config *cfg)
{
	if (cfg->nr_progs)
		return DEFAULT_PROG_EVENTS;
	return cfg->system_wide ? DEFAULT_CPU_EVENTS : DEFAULT_EVENTS;
}

static int settle_events(const struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	const char *text = raw->events.text;
	int code = 0;

	options->evlist = evlist__new();
	if (!options->evlist || !raw->vendor || strbuf__failed(&raw->events)) {
		pr_err("out of memory");
		return EXIT_FAILED;
	}
	code = add_filters(raw, 0, 0);
	for (int i = 0; !code && i < raw->nr_events; i++, text += strlen(text) + 1) {
		int first = options->evlist->nr;

		code = add_events(raw, text) ?: add_filters(raw, i + 1, first);
	}
	if (!code && !raw->nr_events && !options->metrics.given)
		code = add_events(raw, default_events(&options->count));
	if (!code)
		code = add_metrics(raw);
	return code ?: refuse_bpf_counters(options->evlist);
}

static void set_log_level(int verbose)
{
	log__set_level(verbose > 1 ? LOG_DEBUG : verbose ? LOG_INFO : LOG_WARNING);
}

int stat_options__parse(int argc, char **argv, struct stat_options *options)
{
	struct raw_options raw = { .to = options, .events = STRBUF_INIT };
	int code;

	*options = (struct stat_options){ .big_num = true, .metrics = STAT_METRICS_INIT, .count = { .inherit = true } };
	argp_err_exit_status = EXIT_USAGE;
	raw.filters = calloc((size_t)argc, sizeof(*raw.filters));
	raw.events_dir = getenv("PSTAT_EVENTS");
	code = !raw.filters ? EXIT_FAILED : argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &raw) ? EXIT_USAGE : 0;
	set_log_level(options->verbose);
	if (!options->show_version) {
		code = code ?: settle_conflicts(&raw);
		code = code ?: settle_times(&raw);
		code = code ?: settle_output(&raw);
		code = code ?: settle_targets(&raw);
		raw.vendor = vendor__new(raw.events_dir, sysroots__host());
		code = code ?: settle_events(&raw);
		vendor__free(raw.vendor);
	}
	strbuf__free(&raw.events);
	free(raw.filters);
	return code;
}

void stat_options__free(struct stat_options *options)
{
	stat_metrics__free(&options->metrics);
	evlist__free(options->evlist);
	cpumap__free(options->count.cpus);
	threadmap__free(options->count.threads);
	free(options->prog_ids);
	free(options->prog_text);
}
