// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat-raw.h"
#include "builtin/stat-symbols.h"
#include "util/base/log.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/filter.h"
#include "util/event/parse-events.h"
#include "util/event/vendor.h"
#include "util/machine/cgroup.h"

/* What perf stat counts when nothing is said, and for BPF programs what can happen inside one. */
#define DEFAULT_EVENTS "task-clock,context-switches,cpu-migrations,page-faults,cycles"
#define DEFAULT_CPU_EVENTS "cpu-clock,context-switches,cpu-migrations,page-faults,cycles"
#define MORE_DEFAULT_EVENTS "instructions,branches,branch-misses"
#define DEFAULT_PROG_EVENTS "run_cnt,task-clock,cycles,instructions"

/* Of the default events too, where the CPU's PMU has them under these names. */
static const char *const stall_events[] = { "stalled-cycles-frontend", "stalled-cycles-backend" };

/* What each -d adds. */
static const char *const detailed_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int out_of_memory(void)
{
	pr_err("out of memory");
	return EXIT_FAILED;
}

/* ---- events ---- */

static struct event_env make_env(const struct raw_options *raw)
{
	return (struct event_env){
		.roots = sysroots__host(),
		.vendor = raw->vendor,
		.bpf_prog = raw->to->count.progs != NULL,
	};
}

static int add_events(const struct raw_options *raw, const char *text)
{
	struct stat_options *options = raw->to;
	struct event_env env = make_env(raw);
	struct parse_error error = PARSE_ERROR_INIT;
	struct stat_symbols symbols;
	const char *notes;
	int err;

	if (strstr(text, "mem:")) {
		stat_symbols__find(&symbols, &options->count);
		env.symbols = &symbols.source;
	}
	err = parse_events(options->evlist, text, &env, &error);
	notes = vendor__notes(raw->vendor);
	if (*notes)
		pr_warn("%.*s", (int)strlen(notes) - 1, notes);
	if (err == -EINVAL)
		parse_error__print(&error);
	else if (err)
		pr_err("-e %s: %s", text, strerror(-err));
	parse_error__free(&error);
	return err == -EINVAL ? EXIT_USAGE : err ? EXIT_FAILED : 0;
}

static bool cpu_has_event(const char *name)
{
	char path[128], text[256];

	snprintf(path, sizeof(path), "bus/event_source/devices/cpu/events/%s", name);
	return sysfs__read(sysroots__host()->sysfs, path, text, sizeof(text)) > 0;
}

static int add_defaults(const struct raw_options *raw)
{
	const struct stat_config *cfg = &raw->to->count;
	int code;

	if (cfg->progs)
		return add_events(raw, DEFAULT_PROG_EVENTS);
	code = add_events(raw, cfg->system_wide || cfg->all_threads ? DEFAULT_CPU_EVENTS : DEFAULT_EVENTS);
	for (size_t i = 0; !code && i < ARRAY_SIZE(stall_events); i++)
		if (cpu_has_event(stall_events[i]))
			code = add_events(raw, stall_events[i]);
	return code ?: add_events(raw, MORE_DEFAULT_EVENTS);
}

/* A filter belongs to the tracepoints of the -e before it, whose events begin at @first. */
static int add_filter(const struct raw_options *raw, const char *filter, int first)
{
	struct evlist *evlist = raw->to->evlist;
	int err = event_filter__add(evlist, first, filter);

	if (!err)
		return 0;
	if (err != -ENOENT) {
		pr_err("--filter '%s': %s", filter, strerror(-err));
		return EXIT_FAILED;
	}
	pr_err("--filter '%s': %s", filter,
	       first < evlist->nr ?
		       "none of the events of the -e before it is a tracepoint, and only these have fields" :
		       "it is about the tracepoints of the -e before it: give it behind that");
	return EXIT_USAGE;
}

/* ---- control groups ---- */

/* Makes room for the groups of all events that there are now. */
static int grow_cgroups(struct stat_options *options, int nr_before)
{
	size_t nr = (size_t)options->evlist->nr + 1;
	struct cgroup **cgroups = realloc(options->cgroups, sizeof(*cgroups) * nr);
	const char **names;

	if (!cgroups)
		return out_of_memory();
	options->cgroups = cgroups;
	options->count.cgroups = cgroups;
	names = realloc(options->cgroup_names, sizeof(*names) * nr);
	if (!names)
		return out_of_memory();
	options->cgroup_names = names;
	for (int event = nr_before; event < options->evlist->nr; event++) {
		cgroups[event] = NULL;
		names[event] = NULL;
	}
	return 0;
}

/* The group of that name, opened once. */
static int find_cgroup(struct stat_options *options, const char *option, const char *name, struct cgroup **cgroup)
{
	struct strbuf why = STRBUF_INIT;
	struct cgroup **opened;
	int err;

	for (int i = 0; i < options->nr_cgroups; i++) {
		*cgroup = options->opened_cgroups[i];
		if (!strcmp((*cgroup)->name, name))
			return 0;
	}
	opened = realloc(options->opened_cgroups, sizeof(*opened) * ((size_t)options->nr_cgroups + 1));
	if (!opened)
		return out_of_memory();
	options->opened_cgroups = opened;
	err = cgroup__open(sysroots__host(), name, cgroup, &why);
	if (err)
		pr_err("%s %s: %s", option, name, why.len ? why.text : strerror(-err));
	else
		opened[options->nr_cgroups++] = *cgroup;
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

static void set_cgroup(struct stat_options *options, int event, struct cgroup *cgroup)
{
	options->cgroups[event] = cgroup;
	options->cgroup_names[event] = cgroup ? cgroup->name : NULL;
}

static int give_cgroup(struct stat_options *options, const char *name, int event)
{
	struct cgroup *cgroup;
	int code;

	if (event >= options->evlist->nr) {
		pr_err("-G %s: there is no event left for it: the first group is for the first event, and so on", name);
		return EXIT_USAGE;
	}
	code = find_cgroup(options, "-G", name, &cgroup);
	if (!code)
		set_cgroup(options, event, cgroup);
	return code;
}

/*
 * perf's rule: over all -G, the n-th name is for the n-th event, an empty one leaves its event out; a single one, if no second
 * follows, is for all events before it. *@given: names until now.
 */
static int add_cgroups(struct stat_options *options, const char *list, int *given)
{
	char *words = strdup(list), *rest = words, *word;
	int code = words ? 0 : out_of_memory();

	if (!code && !options->evlist->nr) {
		pr_err("-G %s: name events before it (-e): the group is for those", list);
		code = EXIT_USAGE;
	}
	while (!code && (word = strsep(&rest, ","))) {
		if (*word)
			code = give_cgroup(options, word, *given);
		++*given;
	}
	if (!code && *given == 1)
		for (int event = 1; event < options->evlist->nr; event++)
			set_cgroup(options, event, options->cgroups[0]);
	free(words);
	return code;
}

/* ---- all of it ---- */

static int add_metrics(const struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct event_env env = make_env(raw);

	return stat_metrics__add_events(&options->metrics, &options->count, &env, options->evlist);
}

/* -e, --filter and -G as they came, the default events and those of -d. */
static int add_words(const struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	const char *word = raw->events.text;
	int code = 0, last = options->evlist->nr, nr_cgroups = 0;

	if (!raw_options__has(raw, GIVEN_EVENT) && !options->null_run && !options->metrics.given)
		code = add_defaults(raw);
	code = code ?: grow_cgroups(options, last);
	last = options->evlist->nr;
	for (int i = 0; !code && i < raw->nr_events; i++, word += strlen(word) + 1) {
		if (*word == 'e') {
			last = options->evlist->nr;
			code = add_events(raw, word + 1);
			code = code ?: grow_cgroups(options, last);
		} else if (*word == 'f') {
			code = add_filter(raw, word + 1, last);
		} else {
			code = add_cgroups(options, word + 1, &nr_cgroups);
		}
	}
	last = options->evlist->nr;
	code = code ?: add_metrics(raw);
	for (int i = 0; !code && i < raw->detailed && i < (int)ARRAY_SIZE(detailed_events); i++)
		code = add_events(raw, detailed_events[i]);
	code = code ?: grow_cgroups(options, last);
	/* one group for all events is for these too */
	for (int event = last; !code && nr_cgroups == 1 && event < options->evlist->nr; event++)
		set_cgroup(options, event, options->cgroups[0]);
	return code;
}

/* The events once for each group. */
static int add_for_each_cgroup(const struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	char *words = strdup(raw->for_each_cgroup), *rest = words, *word;
	int code = words ? 0 : out_of_memory();
	struct cgroup *cgroup;

	options->for_each_cgroup = true;
	while (!code && (word = strsep(&rest, ","))) {
		int first = options->evlist->nr;

		/* an empty name is the root */
		code = find_cgroup(options, "--for-each-cgroup", *word ? word : "/", &cgroup);
		code = code ?: add_words(raw);
		for (int event = first; !code && event < options->evlist->nr; event++)
			set_cgroup(options, event, cgroup);
	}
	free(words);
	return code;
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

/* --all-user, --all-kernel: the same for every event, unless its modifiers say the contrary. */
static int restrict_events(const struct raw_options *raw)
{
	bool user = raw_options__has(raw, GIVEN_ALL_USER), kernel = raw_options__has(raw, GIVEN_ALL_KERNEL);
	struct evsel *evsel;

	if (!user && !kernel)
		return 0;
	evlist__for_each(raw->to->evlist, evsel) {
		struct perf_event_attr *attr = &evsel->attr.attr;

		if (evsel->exclude_given && (user ? attr->exclude_user : attr->exclude_kernel)) {
			pr_err("%s and %s do not go together: the modifier says the contrary",
			       user ? "--all-user" : "--all-kernel", evsel->name);
			return EXIT_CONFLICT;
		}
		attr->exclude_user = kernel;
		attr->exclude_kernel = user;
		evsel->exclude_given = true;
	}
	return 0;
}

/* A command whose events all count CPUs or packages is counted with all that runs meanwhile, as there is no other way. */
static void widen_scope(const struct raw_options *raw)
{
	struct stat_config *cfg = &raw->to->count;
	const struct evsel *evsel;

	if (!stat_config__counts_command(cfg) || !raw->to->evlist->nr)
		return;
	evlist__for_each(raw->to->evlist, evsel)
		if (!evsel->is_uncore && evsel->tool != TOOL_DURATION_TIME)
			return;
	cfg->system_wide = true;
}

int settle_events(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	int code;

	raw->vendor = vendor__new(raw->events_dir ?: getenv("PSTAT_EVENTS"), sysroots__host());
	if (!raw->vendor)
		return out_of_memory();

	options->evlist = evlist__new();
	if (!options->evlist || strbuf__failed(&raw->events))
		return out_of_memory();
	code = raw->for_each_cgroup ? add_for_each_cgroup(raw) : add_words(raw);
	code = code ?: refuse_bpf_counters(options->evlist);
	code = code ?: restrict_events(raw);
	if (code)
		return code;
	if (!options->nr_cgroups) {
		free(options->cgroup_names);
		options->cgroup_names = NULL;
		options->count.cgroups = NULL;
	}
	widen_scope(raw);
	return 0;
}
