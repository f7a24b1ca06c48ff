// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/profile/profile-options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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
#include "util/machine/bpf/bpf-prog-select.h"
#include "util/machine/symbols/build-id.h"

/* not 1000 Hz, so that samples are not in step with the periodic work of programs */
#define DEFAULT_FREQ 997
#define DEFAULT_MAP_SIZE 65536
/*
 * see sampling.stack_map_size; an entry for a kernel stack and one for a user stack together need
 * about 6 KiB of memory
 */
#define DEFAULT_STACK_MAP_SIZE 8192

/*
 * For tests: the value "ioctl" makes pstat attach its BPF program as on old kernels, which have no
 * BPF links for perf events.
 */
#define ATTACH_ENV "PSTAT_PROFILE_ATTACH"

/* ---- values ---- */

/*
 * Refuses an empty separator. `pstat stat` accepts an empty separator, because scripts for perf
 * stat use it.
 */
static int resolve_separator(const struct raw_options *raw)
{
	const char *separator = raw->to->csv_separator;

	if (!separator || *separator)
		return 0;
	pr_err("-x '': the separator is empty\ntry -x, or -x \\\\t");
	return EXIT_USAGE;
}

/*
 * If the frequency is above the kernel's limit, refuses it, and prints the limit. The kernel would
 * also refuse it, but with an error code that does not name the cause.
 */
static int check_freq(const struct sampling *sampling)
{
	uint64_t most;

	if (!sampling->freq ||
	    sysfs__read_u64(sysroots__host()->procfs, "sys/kernel/perf_event_max_sample_rate",
			    &most) ||
	    sampling->freq <= most)
		return 0;
	pr_err("-F %" PRIu64 ": the kernel allows at most %" PRIu64 " samples per second\n"
	       "give a lower frequency, or raise kernel.perf_event_max_sample_rate",
	       sampling->freq, most);
	return EXIT_USAGE;
}

/*
 * Checks that each directory in the list @dirs can be read. Ignores empty entries, but refuses an
 * empty list. Returns 0, or the exit code after reporting an error.
 */
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

static int resolve_stacks(const struct raw_options *raw, struct profile_options *options)
{
	int code;

	if (options->folded && options->stat.count.interval_ns && !options->stat.json &&
	    !options->stat.csv_separator) {
		pr_err("--folded has no column for the time of -I: add -j or -x, or omit -I");
		return EXIT_CONFLICT;
	}
	code = check_debug_dirs(raw->debug_dirs);
	if (asprintf(&options->debug_dirs, "%s%s" DEBUG_DIRS, raw->debug_dirs ?: "",
		     raw->debug_dirs ? ":" : "") < 0) {
		options->debug_dirs = NULL;
		return command__out_of_memory();
	}
	options->sampling.debug_dirs = options->debug_dirs;
	return code;
}

static int resolve_sampling(const struct raw_options *raw, struct profile_options *options)
{
	struct sampling *sampling = &options->sampling;
	const char *attach = getenv(ATTACH_ENV);
	int code;

	if (!sampling->freq && !sampling->period)
		sampling->freq = DEFAULT_FREQ;
	sampling->by_ioctl = attach && !strcmp(attach, "ioctl");
	code = resolve_stacks(raw, options);
	return code ?: check_freq(sampling);
}

/* ---- targets ---- */

/*
 * In a profile, the programs of -b are not the target. pstat samples tasks or CPUs, and keeps only
 * samples in these programs and in the functions that they call.
 */
static void resolve_progs(struct profile_options *options)
{
	struct stat_config *cfg = &options->stat.count;

	options->sampling.progs = cfg->progs;
	cfg->progs = NULL;
	if (options->sampling.progs && !cfg->threads)
		cfg->system_wide = true;
}

/* ---- events ---- */

/*
 * Returns whether the event @name can be opened on this machine. Does not read the vendors' event
 * files.
 */
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
		return refuse_event(evsel, "pstat reads its value itself, and the kernel cannot "
					   "sample it");
	if (evsel->tracepoint)
		return refuse_event(evsel, "the BPF programs of tracepoints do not receive the "
					   "address of the code\n"
					   "try -e cpu-clock");
	if (evsel->bpf_counter)
		return refuse_event(evsel, "the modifier b is only for counting: omit it");
	if (options->sampling.progs && evsel->attr.attr.exclude_kernel)
		return refuse_event(evsel, "BPF programs run in the kernel, which the modifier u "
					   "excludes");
	return 0;
}

/*
 * Inserts the default event before all other elements of raw->words, so that -G also applies to it.
 */
static void add_default_event(struct raw_options *raw)
{
	struct event_word word;

	raw_options__add_word(raw, WORD_EVENT, has_event("cycles") ? "cycles" : "cpu-clock");
	if (raw->words_failed)
		return;
	word = raw->words[raw->nr_words - 1];
	memmove(raw->words + 1, raw->words, sizeof(word) * (size_t)(raw->nr_words - 1));
	raw->words[0] = word;
}

/*
 * Returns whether the list contains a single event. On a hybrid machine, a single event has one
 * list element for each kind of core.
 */
static bool is_one_event(const struct evlist *evlist)
{
	for (int i = 1; i < evlist->nr; i++)
		if (!evlist->entries[i]->is_core_pmu ||
		    strcmp(evlist->entries[i]->name, evlist->entries[0]->name))
			return false;
	return true;
}

/*
 * On a hybrid machine, adds the PMU's name to the names of core events, as perf record does (for
 * example cpu_core/cycles/u).
 */
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

static int resolve_profile_events(struct raw_options *raw, const struct profile_options *options)
{
	const struct stat_options *stat = &options->stat;
	const struct evsel *evsel;
	int code;

	if (!raw->has_events)
		add_default_event(raw);
	code = stat_events__resolve(raw);
	if (!code)
		evlist__for_each(stat->evlist, evsel)
			code = code ?: check_event(options, evsel);
	if (!code && options->folded && !is_one_event(stat->evlist) && !stat->json &&
	    !stat->csv_separator) {
		pr_err("--folded has no column for the name of the event: add -j or -x, or give "
		       "only one event");
		code = EXIT_CONFLICT;
	}
	return code ?: name_core_pmus(stat->evlist);
}

/* ---- all options ---- */

int profile_options__parse(int argc, char **argv, struct profile_options *options)
{
	struct raw_options raw = { .to = &options->stat, .command = OF_PROFILE };
	int code;

	*options = (struct profile_options){
		.stat = { .runs = 1,
			  .log_fd = -1,
			  .metrics = STAT_METRICS_INIT,
			  .count = { .inherit = true } },
		.sampling = { .map_size = DEFAULT_MAP_SIZE,
			      .stack_map_size = DEFAULT_STACK_MAP_SIZE },
	};
	options->stat.count.sampling = &options->sampling;
	code = option_words__read(&raw, argc, argv);
	log__set_level(options->stat.verbose > 1 ? LOG_DEBUG :
		       options->stat.verbose	 ? LOG_INFO :
						   LOG_WARNING);
	code = code ?: option_words__resolve_rules(&raw, true);
	code = code ?: resolve_separator(&raw);
	if (!code)
		stat_values__resolve_overrides(&raw);
	code = code ?: option_words__resolve_rules(&raw, false);
	code = code ?: stat_values__resolve(&raw);
	code = code ?: resolve_sampling(&raw, options);
	code = code ?: stat_targets__resolve(&raw);
	resolve_progs(options);
	code = code ?: resolve_profile_events(&raw, options);
	code = code ?: stat_targets__check(&raw);
	raw_options__free(&raw);
	return code;
}

void profile_options__free(struct profile_options *options)
{
	free(options->debug_dirs);
	stat_options__free(&options->stat);
}
