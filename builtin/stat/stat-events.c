// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "builtin/stat/stat-symbols.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/filter.h"
#include "util/event/parse-events.h"
#include "util/event/pfm-events.h"
#include "util/event/vendor.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/symbols/far-file.h"

/* The default events of perf stat, and the default events for BPF programs and scopes. */
#define DEFAULT_EVENTS "task-clock,context-switches,cpu-migrations,page-faults,cycles"
#define DEFAULT_CPU_EVENTS "cpu-clock,context-switches,cpu-migrations,page-faults,cycles"
#define MORE_DEFAULT_EVENTS "instructions,branches,branch-misses"
#define DEFAULT_PROG_EVENTS "run_cnt,task-clock,cycles,instructions"
#define DEFAULT_SCOPE_EVENTS "run_cnt,scope-time,task-clock,cycles,instructions"

/* More default events. Each is used only if the PMU `cpu` has an event with this name. */
static const char *const stall_events[] = { "stalled-cycles-frontend", "stalled-cycles-backend" };

/* The events that the first, the second and the third -d add. */
static const char *const detailed_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
	 "iTLB-loads,iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* ---- options for events ---- */

static struct event_env make_env(const struct raw_options *raw)
{
	return (struct event_env){
		.roots = sysroots__host(),
		.vendor = raw->vendor,
		.cputype_pmu = raw->cputype_pmu,
		.pmu_filter = raw->pmu_filter,
		.bpf_prog = raw->to->count.progs || raw->to->count.scopes,
		.scope = raw->to->count.scopes != NULL,
	};
}

/* Warns once about each of the vendors' event files that cannot be read. */
static void warn_about_files(const struct raw_options *raw)
{
	const char *notes = vendor__new_notes(raw->vendor);

	if (*notes)
		pr_warn("%.*s", (int)strlen(notes) - 1, notes);
}

static int add_events(struct raw_options *raw, const char *text)
{
	struct stat_options *options = raw->to;
	struct event_env env = make_env(raw);
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf shown = STRBUF_INIT;
	struct stat_symbols symbols;
	int err;

	if (strstr(text, "mem:")) {
		stat_symbols__find(&symbols, &options->count);
		env.symbols = &symbols.source;
	}
	err = parse_events(options->evlist, text, &env, &error);
	if (env.symbols)
		far_file__end();
	warn_about_files(raw);
	if (err == -EINVAL) {
		/* no prefix "pstat: ", because the second line marks a position in the first */
		parse_error__format(&error, &shown);
		fputs(shown.text, stderr);
	} else if (err) {
		pr_err("-e %s: %s", text, strerror(-err));
	}
	strbuf__free(&shown);
	parse_error__free(&error);
	return err == -EINVAL ? EXIT_USAGE : err ? EXIT_FAILED : 0;
}

static int add_pfm_events(struct raw_options *raw, const char *text)
{
	struct event_env env = make_env(raw);
	struct strbuf why = STRBUF_INIT;
	int err = pfm_events__parse(raw->to->evlist, text, &env, &why);

	if (err == -ENOMEM || strbuf__failed(&why))
		pr_err("out of memory");
	else if (err == -ELIBACC)
		pr_err("--pfm-events: %s", why.text);
	else if (err)
		pr_err("%s", why.text);
	strbuf__free(&why);
	return err == -EINVAL ? EXIT_USAGE : err ? EXIT_FAILED : 0;
}

/* Adds events that the user did not name: default events, or events of -d. */
static int add_own_events(struct raw_options *raw, const char *text)
{
	struct evlist *evlist = raw->to->evlist;
	int first = evlist->nr, code = add_events(raw, text);

	for (int i = first; !code && i < evlist->nr; i++)
		evlist->entries[i]->is_default = true;
	return code;
}

static bool cpu_has_event(const char *name)
{
	char path[128], text[256];

	snprintf(path, sizeof(path), "bus/event_source/devices/cpu/events/%s", name);
	return sysfs__read(sysroots__host()->sysfs, path, text, sizeof(text)) > 0;
}

/*
 * Adds the vendor's default metrics (TopdownL1 on Intel CPUs since Ice Lake). If there is no -e,
 * perf always shows these metrics. pstat shows them only with -d or stat.default-metrics, because
 * some scripts expect only rows of counts.
 */
static int add_default_metrics(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct event_env env = make_env(raw);

	env.quiet_regroup = true;
	return stat_metrics__add_defaults(&options->metrics, &options->count, &env,
					  options->evlist);
}

static int add_defaults(struct raw_options *raw)
{
	const struct stat_config *cfg = &raw->to->count;
	int code;

	if (cfg->progs)
		return add_own_events(raw, DEFAULT_PROG_EVENTS);
	if (cfg->scopes)
		return add_own_events(raw, DEFAULT_SCOPE_EVENTS);
	code = add_own_events(raw, cfg->system_wide || cfg->all_threads ? DEFAULT_CPU_EVENTS :
									  DEFAULT_EVENTS);
	for (size_t i = 0; !code && i < ARRAY_SIZE(stall_events); i++)
		if (cpu_has_event(stall_events[i]))
			code = add_own_events(raw, stall_events[i]);
	code = code ?: add_own_events(raw, MORE_DEFAULT_EVENTS);
	if (!code && (raw->detailed || raw->to->metrics.defaults))
		code = add_default_metrics(raw);
	return code;
}

/*
 * Adds a filter to the tracepoints of the preceding -e option. @first is the index of the first
 * event of this option.
 */
static int add_filter(struct raw_options *raw, const char *filter, int first)
{
	struct evlist *evlist = raw->to->evlist;
	int err = filter__add(evlist, first, filter);

	if (!err)
		return 0;
	if (err != -ENOENT) {
		pr_err("--filter '%s': %s", filter, strerror(-err));
		return EXIT_FAILED;
	}
	pr_err("--filter '%s': %s", filter,
	       first < evlist->nr ? "a filter needs a tracepoint, and the preceding -e has none" :
				    "a filter applies to the tracepoints of the preceding -e: "
				    "give -e first");
	return EXIT_USAGE;
}

/* ---- all events ---- */

/*
 * Returns true if there are events, but none of them can be counted for a task. In this case, sets
 * *@uncore to whether any of them is an uncore event.
 */
static bool counts_no_task(const struct evlist *evlist, bool *uncore)
{
	const struct evsel *evsel;

	*uncore = false;
	evlist__for_each(evlist, evsel) {
		if (!evsel->is_uncore && evsel->tool != TOOL_DURATION_TIME)
			return false;
		*uncore |= evsel->is_uncore;
	}
	return evlist->nr;
}

/*
 * If the target is a command, but no event can be counted for a task, makes pstat count the whole
 * system while the command runs. As in perf, this depends only on the events of -e. Without -e, it
 * depends on the events of -M (@with_metrics), and at least one of them must be an uncore event: a
 * constant metric adds only duration_time, and must not make pstat count the whole system.
 */
static void widen_scope(struct raw_options *raw, bool with_metrics)
{
	struct stat_config *cfg = &raw->to->count;
	bool uncore;

	if (stat_config__counts_command(cfg) && counts_no_task(raw->to->evlist, &uncore) &&
	    (uncore || !with_metrics))
		cfg->system_wide = true;
}

/* Returns whether the user asked for metrics. In this case, pstat adds no default events. */
static bool asks_for_metrics(const struct stat_metrics *metrics)
{
	return metrics->given || metrics->topdown || metrics->transaction || metrics->smi_cost;
}

static int add_metrics(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct event_env env = make_env(raw);

	env.quiet_regroup = true;
	if (!asks_for_metrics(&options->metrics) && !options->metrics.file)
		return 0;
	return stat_metrics__add_events(&options->metrics, &options->count, &env, options->evlist);
}

/* Adds the events of -d. As in perf, -d has no effect with -T or --smi-cost. */
static int add_detailed(struct raw_options *raw)
{
	const struct stat_metrics *metrics = &raw->to->metrics;
	int code = 0;

	if (metrics->transaction || metrics->smi_cost)
		return 0;
	for (int i = 0; !code && i < raw->detailed && i < (int)ARRAY_SIZE(detailed_events); i++)
		code = add_own_events(raw, detailed_events[i]);
	return code;
}

/* Adds default events or the events of -e (with filters and cgroups), then those of -M and -d. */
static int add_words(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	int code = 0, last = options->evlist->nr, nr_cgroups = 0;

	if (!raw->has_events && !options->null_run && !asks_for_metrics(&options->metrics))
		code = add_defaults(raw);
	last = options->evlist->nr;
	for (int i = 0; !code && i < raw->nr_words; i++) {
		const char *text = raw->words[i].text;

		switch (raw->words[i].kind) {
		case WORD_EVENT:
		case WORD_PFM:
			last = options->evlist->nr;
			code = (raw->words[i].kind == WORD_EVENT ? add_events :
								   add_pfm_events)(raw, text);
			break;
		case WORD_FILTER:
			code = add_filter(raw, text, last);
			break;
		case WORD_CGROUP:
			code = stat_cgroups__add(options, text, &nr_cgroups);
			break;
		case WORD_SCOPE:
		case WORD_START:
		case WORD_STOP:
			break;
		}
	}
	last = options->evlist->nr;
	widen_scope(raw, false);
	code = code ?: add_metrics(raw);
	if (!raw->has_events)
		widen_scope(raw, true);
	code = code ?: add_detailed(raw);
	/*
	 * As in perf, -G does not apply to the events that -d and -M add. But without -e, a single
	 * cgroup applies to all events.
	 */
	if (!code && !raw->has_events && nr_cgroups == 1)
		stat_cgroups__set(options, last, options->evlist->entries[0]->cgroup);
	return code;
}

/* Refuses @evsel, which has the modifier b, if the event cannot use a shared counter. */
static int check_bpf_event(const struct stat_options *options, const struct evsel *evsel)
{
	const char *why = NULL;

	if (options->count.progs)
		why = "-b has its own BPF programs that read the counters";
	else if (options->count.scopes)
		why = "--scope has its own BPF programs that read the counters";
	else if (evsel->cgroup)
		why = "shared counters cannot be limited to a cgroup";
	else if (!evsel->leader->bpf_counter)
		why = "BPF must count all events of a group or none: put the modifier b after "
		      "the group";
	if (why)
		pr_err("%s: modifier b: %s", evsel->name, why);
	return why ? EXIT_CONFLICT : 0;
}

/* Applies stat.bpf-counter-events, checks the uses of the modifier b, and sets raw->all_bpf. */
static int resolve_bpf_events(struct raw_options *raw)
{
	const struct stat_options *options = raw->to;
	const struct evsel *evsel;
	int code = 0, nr = 0, nr_bpf = 0;

	if (options->count.bpf_counters || (options->count.points && !options->count.sampling)) {
		raw->all_bpf = true;
		return 0;
	}
	stat_perf_config__share_events(raw);
	evlist__for_each(options->evlist, evsel) {
		if (evsel->tool != TOOL_NONE)
			continue;
		nr++;
		if (evsel->leader->bpf_counter && !evsel->bpf_counter) {
			pr_err("%s: BPF must count all events of a group or none: put the "
			       "modifier b after the group",
			       evsel->name);
			return EXIT_CONFLICT;
		}
		if (evsel->bpf_counter) {
			nr_bpf++;
			code = code ?: check_bpf_event(options, evsel);
		}
	}
	raw->all_bpf = nr && nr == nr_bpf;
	return code;
}

/*
 * With --all-user or --all-kernel, perf adds modifiers to the names of default events. Adds the
 * same modifiers to the name of @evsel: u if @user is set, otherwise k; then hH, because the event
 * also counts the hypervisor (h), but not guests (H).
 */
static int rename_default(struct evsel *evsel, bool user)
{
	char *name;

	if (asprintf(&name, "%s:%shH", evsel->name, user ? "u" : "k") < 0)
		return command__out_of_memory();
	free(evsel->name);
	evsel->name = name;
	return 0;
}

/*
 * Refuses the term cpu= where it cannot select CPUs: BPF programs read counters that are open on
 * all CPUs, and a task can be counted only on one CPU or on all CPUs.
 */
static int check_cpu_terms(const struct stat_options *options)
{
	const struct stat_config *cfg = &options->count;
	const struct evsel *evsel;
	const char *why = NULL;

	evlist__for_each(options->evlist, evsel) {
		if (!evsel->cpus_given || evsel->tool != TOOL_NONE)
			continue;
		if (cfg->progs)
			why = "-b counts runs on all CPUs";
		else if (cfg->scopes)
			why = "--scope counts runs on all CPUs";
		else if (cfg->points && !cfg->sampling)
			why = "--start and --stop count on all CPUs";
		else if (cfg->bpf_counters || evsel->bpf_counter)
			why = "shared counters count on all CPUs";
		else if (stat_config__per_task(cfg) && evsel->pmu_cpus->nr > 1)
			why = "a task can be counted on one CPU or on all CPUs, but not on a list "
			      "of CPUs: give -a, or one event for each CPU";
		if (why) {
			pr_err("%s: term cpu: %s", evsel->name, why);
			return EXIT_CONFLICT;
		}
	}
	return 0;
}

/* Applies --all-user and --all-kernel, which restrict every event, even if it has modifiers. */
static int restrict_events(struct raw_options *raw)
{
	bool user = raw->all_user, kernel = raw->all_kernel;
	struct evsel *evsel;
	int code = 0;

	if (!user && !kernel)
		return 0;
	evlist__for_each(raw->to->evlist, evsel) {
		struct perf_event_attr *attr = &evsel->attr.attr;

		attr->exclude_user = kernel;
		attr->exclude_kernel = user;
		evsel->exclude_given = true;
		if (evsel->is_default && !raw->to->prog_text)
			code = code ?: rename_default(evsel, user);
	}
	return code;
}

int stat_events__resolve(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	int code = command__events_dir(raw->events_dir, &raw->events_dir);

	if (code)
		return code;
	raw->vendor = vendor__new(raw->events_dir, sysroots__host());
	if (!raw->vendor)
		return command__out_of_memory();

	options->evlist = evlist__new();
	if (!options->evlist || raw->words_failed)
		return command__out_of_memory();
	if (raw->for_each_cgroup)
		code = stat_cgroups__for_each(raw);
	code = code ?: add_words(raw);
	if (!code && raw->for_each_cgroup && !options->evlist->nr) {
		pr_err("-n and --for-each-cgroup cannot be combined, because -n counts no events: "
		       "give -e too");
		return EXIT_CONFLICT;
	}
	warn_about_files(raw);
	code = code ?: resolve_bpf_events(raw);
	if (!code && options->count.each_cgroup)
		stat_cgroups__close_unused(options);
	code = code ?: check_cpu_terms(options);
	code = code ?: restrict_events(raw);
	if (code)
		return code;
	options->count.cgroup_mount = &options->cgroup_mount;
	options->count.in_cgroups = options->nr_cgroups && !options->count.each_cgroup;
	return 0;
}
