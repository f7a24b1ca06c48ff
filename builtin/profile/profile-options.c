// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/profile/profile-options.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/number.h"
#include "util/base/sysfs.h"
#include "util/count/fd/open-check.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/event/vendor.h"
#include "util/machine/bpf-prog-select.h"
#include "util/machine/build-id.h"

#define DEFAULT_FREQ 997 /* not in step with what programs do every ms */
#define DEFAULT_MAP_SIZE 65536
#define MAP_SIZE_MAX (1 << 24)
#define DEFAULT_STACK_MAP_SIZE 8192 /* of 5 KiB each */
#define STACK_MAP_SIZE_MAX (1 << 20)
#define PERIOD_MAX (1ULL << 62)

/* For tests: how the BPF program is attached on kernels without links for perf events. */
#define ATTACH_ENV "PSTAT_PROFILE_ATTACH"

enum {
	OPT_INTERVAL_COUNT = 0x100,
	OPT_TIMEOUT,
	OPT_EVENTS_DIR,
	OPT_CONTROL,
	OPT_MAP_SIZE,
	OPT_ANNOTATE,
	OPT_FOLDED,
	OPT_LINES,
	OPT_DEBUG_DIR,
	OPT_STACK_MAP_SIZE,
	OPT_APPEND,
};

static const struct argp_option options_table[] = {
	{ NULL, 0, NULL, 0, "What takes the samples:", 1 },
	{ "event", 'e', "EVENT[,EVENT...]", 0, "events to sample; default: cycles, or cpu-clock where there are none",
	  1 },
	{ "events-dir", OPT_EVENTS_DIR, "DIR", 0,
	  "folder of the vendors' event files; default: $PSTAT_EVENTS or the installed files", 1 },
	{ "freq", 'F', "HZ", 0, "so many samples a second; default: 997", 1 },
	{ "count", 'c', "PERIOD", 0, "a sample each time that the event has counted so much", 1 },

	{ NULL, 0, NULL, 0, "Whom to sample (without any: COMMAND, or else all CPUs until SIGINT):", 2 },
	{ "bpf-prog", 'b', "PROG[,PROG...]", 0,
	  "in these BPF programs and in what they call: ID, ID:FUNCTION, name:GLOB, tag:HEX, pinned:PATH, type:NAME, "
	  "all",
	  2 },
	{ "pid", 'p', "PID[,PID...]", 0, "all threads of these processes", 2 },
	{ "tid", 't', "TID[,TID...]", 0, "these threads", 2 },
	{ "all-cpus", 'a', NULL, 0, "all that runs on any CPU", 2 },
	{ "cpu", 'C', "CPU[,CPU-CPU...]", 0, "all that runs on these CPUs", 2 },
	{ "cgroup", 'G', "NAME[,NAME...]", 0,
	  "the tasks of a control group: the first for the first event, and so on; one alone for all events before it",
	  2 },

	{ NULL, 0, NULL, 0, "When:", 4 },
	{ "interval-print", 'I', "MS", 0, "print what was sampled every MS milliseconds", 4 },
	{ "interval-count", OPT_INTERVAL_COUNT, "N", 0, "stop after N intervals", 4 },
	{ "control", OPT_CONTROL, "fd:IN[,OUT]|fifo:IN[,OUT]", 0,
	  "take the commands enable, disable, ping, evlist and stop from IN, and acknowledge them to OUT", 4 },
	{ "timeout", OPT_TIMEOUT, "MS", 0, "stop after MS milliseconds; a command is ended", 4 },

	{ NULL, 0, NULL, 0, "How to show it:", 5 },
	{ "annotate", OPT_ANNOTATE, NULL, 0, "with -b: the source of the programs, or else their instructions", 5 },
	{ "folded", OPT_FOLDED, NULL, 0, "stack by stack, as flame-graph tools read it: comm;frame;...;frame SAMPLES",
	  5 },
	{ "lines", OPT_LINES, NULL, 0, "by source line, where users' programs have line information", 5 },
	{ "debug-dir", OPT_DEBUG_DIR, "DIR[:DIR...]", 0,
	  "look for debug files (.build-id/xx/yyyy.debug) there too, before /usr/lib/debug", 5 },
	{ "field-separator", 'x', "SEP", 0, "as values separated by SEP (\\t: tab)", 5 },
	{ "json-output", 'j', NULL, 0, "as JSON, an object a line", 5 },
	{ "output", 'o', "FILE", 0, "into FILE instead of stdout", 5 },
	{ "append", OPT_APPEND, NULL, 0, "add to the end of FILE", 5 },
	{ "map-size", OPT_MAP_SIZE, "N", 0,
	  "room for so many addresses, or processes with their stacks; default: 65536", 5 },
	{ "stack-map-size", OPT_STACK_MAP_SIZE, "N", 0,
	  "room for so many stacks of the kernel, and as many of users' programs; default: 8192", 5 },
	{ "verbose", 'v', NULL, 0, "say more: how the BPF program is attached; twice: debug messages", 5 },
	{ 0 }
};

struct raw_profile {
	struct raw_options stat;
	struct profile_options *to;
	const char *freq, *period, *map_size, *stack_map_size, *debug_dirs;
};

static bool parse_value(struct raw_profile *raw, int key, const char *arg)
{
	const struct raw_value values[] = {
		{ 'b', GIVEN_PROG, &raw->stat.progs },
		{ 'p', GIVEN_PID, &raw->stat.pids },
		{ 't', GIVEN_TID, &raw->stat.tids },
		{ 'C', GIVEN_CPU, &raw->stat.cpus },
		{ 'I', GIVEN_INTERVAL, &raw->stat.interval },
		{ OPT_INTERVAL_COUNT, GIVEN_INTERVAL_COUNT, &raw->stat.interval_count },
		{ OPT_TIMEOUT, GIVEN_TIMEOUT, &raw->stat.timeout },
		{ OPT_CONTROL, GIVEN_NR, &raw->stat.control },
		{ OPT_EVENTS_DIR, GIVEN_NR, &raw->stat.events_dir },
		{ 'x', GIVEN_CSV, &raw->to->stat.csv_separator },
		{ 'o', GIVEN_OUTPUT, &raw->to->stat.output },
		{ 'F', GIVEN_NR, &raw->freq },
		{ 'c', GIVEN_NR, &raw->period },
		{ OPT_MAP_SIZE, GIVEN_NR, &raw->map_size },
		{ OPT_STACK_MAP_SIZE, GIVEN_NR, &raw->stack_map_size },
		{ OPT_DEBUG_DIR, GIVEN_NR, &raw->debug_dirs },
	};

	return raw_options__take_value(&raw->stat, values, sizeof(values) / sizeof(values[0]), key, arg);
}

static bool parse_flag(struct raw_profile *raw, int key)
{
	struct profile_options *to = raw->to;
	const struct raw_flag flags[] = {
		{ 'a', GIVEN_ALL_CPUS, &to->stat.all_cpus },	{ 'j', GIVEN_JSON, &to->stat.json },
		{ OPT_APPEND, GIVEN_APPEND, &to->stat.append }, { OPT_ANNOTATE, GIVEN_NR, &to->annotate },
		{ OPT_FOLDED, GIVEN_NR, &to->folded },		{ OPT_LINES, GIVEN_NR, &to->lines },
	};

	return raw_options__take_flag(&raw->stat, flags, sizeof(flags) / sizeof(flags[0]), key);
}

static bool take_option(void *to, int key, char *arg)
{
	struct raw_profile *raw = to;

	if (parse_value(raw, key, arg) || parse_flag(raw, key))
		return true;
	switch (key) {
	case 'e':
	case 'G':
		raw_options__add_event(&raw->stat, (char)key, arg);
		return true;
	case 'v':
		raw->to->stat.verbose++;
		return true;
	default:
		return false;
	}
}

static void take_word(void *to, char *word, struct argp_state *state)
{
	struct raw_profile *raw = to;

	(void)word;
	raw_options__take_command(&raw->stat, state);
}

static const struct command_words command_line = {
	.options = options_table,
	.take_option = take_option,
	.take_word = take_word,
	.args_doc = "[--] [COMMAND [ARG...]]",
	.doc = "Sample perf events with a BPF program that adds up in the kernel where they fall.\v"
	       "By function, and with --folded by stack: of the kernel, and of users' programs that keep frame "
	       "pointers. "
	       "With -b only samples in these BPF programs and in what they call are kept, by function and source "
	       "line; a COMMAND then "
	       "only says "
	       "for how long. Examples:\n\n"
	       "  pstat profile -F 997 --folded -o stacks -- ./program\n"
	       "  pstat profile -b 42 -F 997 --annotate -- sleep 10\n",
};

/* ---- values ---- */

/* `pstat stat` accepts these, because scripts use them with perf stat. */
static int settle_formats(const struct raw_options *raw)
{
	const char *separator = raw->to->csv_separator;
	int code = EXIT_CONFLICT;

	if (raw->to->json && separator) {
		pr_err("-x and -j do not go together: choose one format");
	} else if (raw->to->append && !raw->to->output) {
		pr_err("--append adds to the file of -o: give -o too");
	} else if (separator && !*separator) {
		pr_err("-x '': the separator is empty\ntry -x, or -x \\\\t");
		code = EXIT_USAGE;
	} else {
		code = 0;
	}
	return code;
}

/* The kernel refuses more than its limit, in a way that says nothing of it. */
static int check_freq(const struct sampling *sampling)
{
	uint64_t most;

	if (!sampling->freq ||
	    sysfs__read_u64(sysroots__host()->procfs, "sys/kernel/perf_event_max_sample_rate", &most) ||
	    sampling->freq <= most)
		return 0;
	pr_err("-F %" PRIu64 ": this machine allows %" PRIu64 " samples a second\n"
	       "give less, or raise sysctl kernel.perf_event_max_sample_rate",
	       sampling->freq, most);
	return EXIT_USAGE;
}

/* Each of those that are given; nothing between two colons is nothing. */
static int check_debug_dirs(const char *dirs)
{
	char *copy = strdup(dirs ?: ""), *rest = copy, *dir;
	int code = 0;

	if (!copy)
		return command__out_of_memory();
	while (!code && dirs && (dir = strsep(&rest, ":")))
		if (*dir || !*dirs)
			code = command__check_dir("--debug-dir", dir);
	free(copy);
	return code;
}

/* What is for stacks, which there are none of with -b. */
static int settle_stacks(const struct raw_profile *raw)
{
	struct profile_options *options = raw->to;
	const char *with_b = options->folded	 ? "--folded" :
			     options->lines	 ? "--lines" :
			     raw->stack_map_size ? "--stack-map-size" :
			     raw->debug_dirs	 ? "--debug-dir" :
						   NULL;
	uint64_t size = DEFAULT_STACK_MAP_SIZE;
	int code;

	if (raw->stat.progs && with_b) {
		pr_err("%s is for stacks, which are not taken inside BPF programs: leave it or -b out", with_b);
		return EXIT_CONFLICT;
	}
	if (options->folded && raw->stat.interval && !options->stat.json && !options->stat.csv_separator) {
		pr_err("--folded has no place for the time of intervals: add -j or -x, or leave -I out");
		return EXIT_CONFLICT;
	}
	code = settle_number("--stack-map-size", raw->stack_map_size, 1, STACK_MAP_SIZE_MAX, "the number of stacks",
			     &size);
	code = code ?: check_debug_dirs(raw->debug_dirs);
	options->sampling.stack_map_size = (uint32_t)size;
	if (asprintf(&options->debug_dirs, "%s%s" DEBUG_DIRS, raw->debug_dirs ?: "", raw->debug_dirs ? ":" : "") < 0) {
		options->debug_dirs = NULL;
		return command__out_of_memory();
	}
	options->sampling.debug_dirs = options->debug_dirs;
	return code;
}

static int settle_sampling(const struct raw_profile *raw)
{
	struct sampling *sampling = &raw->to->sampling;
	uint64_t map_size = DEFAULT_MAP_SIZE;
	const char *attach = getenv(ATTACH_ENV);
	int code;

	if (raw->freq && raw->period) {
		pr_err("-F and -c do not go together: sample by time or by count");
		return EXIT_CONFLICT;
	}
	if (raw->to->annotate && !raw->stat.progs) {
		pr_err("--annotate shows the code of BPF programs: give -b too");
		return EXIT_CONFLICT;
	}
	code = settle_number("-F", raw->freq, 1, UINT32_MAX, "the number of samples a second", &sampling->freq);
	code = code ?: settle_number("-c", raw->period, 1, PERIOD_MAX, "the count between samples", &sampling->period);
	code = code  ?:
		       settle_number("--map-size", raw->map_size, 1, MAP_SIZE_MAX, "the number of addresses",
				     &map_size);
	if (!raw->freq && !raw->period)
		sampling->freq = DEFAULT_FREQ;
	sampling->map_size = (uint32_t)map_size;
	sampling->by_ioctl = attach && !strcmp(attach, "ioctl");
	code = code ?: settle_stacks(raw);
	return code ?: check_freq(sampling);
}

/* ---- targets ---- */

/* Programs are no target of their own: samples are taken of tasks or CPUs, and these are kept. */
static void settle_progs(struct profile_options *options)
{
	struct stat_config *cfg = &options->stat.count;

	options->sampling.progs = cfg->progs;
	cfg->progs = NULL;
	if (options->sampling.progs && !cfg->threads)
		cfg->system_wide = true;
}

/* ---- events ---- */

/* Has this machine the event @name, which needs no vendor's files? */
static bool has_event(const char *name)
{
	struct event_env env = { .roots = sysroots__host() };
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf why = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	bool found = false;

	if (evlist && !parse_events(evlist, name, &env, &error))
		found = open_check__evsel(evlist->entries[0], &why) != OPENS_NOT;
	evlist__free(evlist);
	parse_error__free(&error);
	strbuf__free(&why);
	return found;
}

static int refuse_event(const struct evsel *evsel, const char *why)
{
	pr_err("%s: cannot be sampled: %s", evsel->name, why);
	return EXIT_USAGE;
}

static int check_event(const struct profile_options *options, const struct evsel *evsel)
{
	if (evsel->tool != TOOL_NONE)
		return refuse_event(evsel, "it is pstat's own, and nothing happens when it counts");
	if (evsel->tracepoint)
		return refuse_event(evsel, "a tracepoint runs BPF programs of another kind, which see no address\n"
					   "try -e cpu-clock");
	if (evsel->bpf_counter)
		return refuse_event(evsel, "modifier b is for counters that BPF shares: leave it out");
	if (options->sampling.progs && evsel->attr.attr.exclude_kernel)
		return refuse_event(evsel, "BPF programs run in the kernel, and with modifier u it is left out");
	return 0;
}

/* Before all words: a -G is for the events before it. */
static void add_default_event(struct raw_options *raw)
{
	struct strbuf words = raw->events;

	raw->events = (struct strbuf)STRBUF_INIT;
	raw_options__add_event(raw, 'e', has_event("cycles") ? "cycles" : "cpu-clock");
	strbuf__add(&raw->events, words.text, words.len);
	raw->events.failed |= strbuf__failed(&words);
	strbuf__free(&words);
}

/* Is there only one event, or one that is sampled on each kind of core of a hybrid machine? */
static bool is_one_event(const struct evlist *evlist)
{
	for (int i = 1; i < evlist->nr; i++)
		if (!evlist->entries[i]->is_core_pmu || strcmp(evlist->entries[i]->name, evlist->entries[0]->name))
			return false;
	return true;
}

/* Events of several kinds of core get the PMU in their names, as with perf record: cpu_core/cycles/u. */
static int name_core_pmus(const struct evlist *evlist)
{
	struct evsel *evsel;

	evlist__for_each(evlist, evsel) {
		const char *terms = strchr(evsel->name, '/');
		struct strbuf name = STRBUF_INIT;
		int len = (int)strcspn(evsel->name, ":");

		if (!evsel->is_core_pmu || evsel->name_given)
			continue;
		if (terms)
			strbuf__addf(&name, "%s%s", evsel->pmu_name, terms);
		else
			strbuf__addf(&name, "%s/%.*s/%s", evsel->pmu_name, len, evsel->name,
				     evsel->name[len] ? evsel->name + len + 1 : "");
		if (strbuf__failed(&name)) {
			strbuf__free(&name);
			return command__out_of_memory();
		}
		free(evsel->name);
		evsel->name = strbuf__detach(&name);
	}
	return 0;
}

static int settle_profile_events(struct raw_profile *raw)
{
	const struct evsel *evsel;
	int code;

	if (!raw_options__has(&raw->stat, GIVEN_EVENT))
		add_default_event(&raw->stat);
	code = settle_events(&raw->stat);
	if (!code)
		evlist__for_each(raw->to->stat.evlist, evsel)
			code = code ?: check_event(raw->to, evsel);
	if (!code && raw->to->folded && !is_one_event(raw->to->stat.evlist) && !raw->to->stat.json &&
	    !raw->to->stat.csv_separator) {
		pr_err("--folded has no place for the names of several events: add -j or -x, or give one event");
		code = EXIT_CONFLICT;
	}
	return code ?: name_core_pmus(raw->to->stat.evlist);
}

/* ---- all of it ---- */

int profile_options__parse(int argc, char **argv, struct profile_options *options)
{
	struct raw_profile raw = { .to = options, .stat = { .to = &options->stat, .events = STRBUF_INIT } };
	int code;

	*options = (struct profile_options){
		.stat = { .runs = 1, .log_fd = -1, .metrics = STAT_METRICS_INIT, .count = { .inherit = true } },
	};
	options->sampling.profile = &options->profile;
	options->stat.count.sampling = &options->sampling;
	code = command__take(&command_line, argc, argv, ARGP_IN_ORDER, &raw);
	log__set_level(options->stat.verbose > 1 ? LOG_DEBUG : options->stat.verbose ? LOG_INFO : LOG_WARNING);
	settle_zeros(&raw.stat);
	code = code ?: settle_formats(&raw.stat);
	if (!code)
		settle_overrides(&raw.stat);
	code = code ?: settle_conflicts(&raw.stat);
	code = code ?: settle_values(&raw.stat);
	code = code ?: settle_sampling(&raw);
	code = code ?: settle_targets(&raw.stat);
	settle_progs(options);
	code = code ?: settle_profile_events(&raw);
	code = code ?: settle_scope(&raw.stat);
	raw_options__free(&raw.stat);
	return code;
}

void profile_options__free(struct profile_options *options)
{
	profile__free(&options->profile);
	free(options->debug_dirs);
	stat_options__free(&options->stat);
}
