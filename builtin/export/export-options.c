// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/export/export-options.h"

#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/output/http-listener.h"

/* the default for -I if --textfile is given, or if --once is given without a command */
#define DEFAULT_INTERVAL_NS NSEC_PER_SEC

/*
 * the maximum number of cgroups that --cgroup-follow counts; a large Kubernetes node has about 2000
 */
#define MOST_CGROUPS 4096

/*
 * The default events. They include software events, so that every machine can count something. With
 * -b, --scope or --bpf-counters, the default is DEFAULT_EVENTS_BPF. This list is shorter, because
 * BPF programs read each event at each run or context switch.
 */
#define DEFAULT_EVENTS "task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions"
#define DEFAULT_EVENTS_BPF "task-clock,cycles,instructions"

static int resolve_format(struct export_options *options)
{
	const char *text = options->format_text;

	if (options->textfile)
		options->format = FORMAT_PROMETHEUS_TEXT;
	if (!text)
		return 0;
	if (!strcmp(text, "openmetrics"))
		options->format = FORMAT_OPENMETRICS;
	else if (!strcmp(text, "prometheus"))
		options->format = FORMAT_PROMETHEUS_TEXT;
	else
		pr_err("--format %s: unknown format: give openmetrics or prometheus",
		       log__value(text));
	return strcmp(text, "openmetrics") != 0 && strcmp(text, "prometheus") != 0 ? EXIT_USAGE : 0;
}

static int check_address(const char *address)
{
	struct strbuf why = STRBUF_INIT;
	int err = address ? http_listener__check(address, &why) : 0;

	if (err)
		pr_err("--listen %s", reason__text(&why, err));
	strbuf__free(&why);
	return err ? EXIT_USAGE : 0;
}

static int refuse(const char *message)
{
	pr_err("%s", message);
	return EXIT_CONFLICT;
}

/* Checks -I or sets its default. With --once, uses the interval as the session's time limit. */
static int resolve_times(struct export_options *options)
{
	struct stat_config *cfg = &options->stat.count;

	if (cfg->interval_ns && !options->textfile && !options->once)
		return refuse("-I works only with --textfile and --once, because clients of "
			      "--listen choose when they read: omit -I");
	if (options->once && cfg->interval_ns && cfg->argv)
		return refuse("--once counts until COMMAND ends: omit -I");
	if (!cfg->interval_ns && (options->textfile || (options->once && !cfg->argv)))
		cfg->interval_ns = DEFAULT_INTERVAL_NS;
	if (options->once) {
		cfg->timeout_ns = cfg->interval_ns;
		cfg->interval_ns = 0;
	}
	return 0;
}

/*
 * Makes each BPF program (-b) and each scope (--scope) a subject, so that its samples have their
 * own labels. Checks that -A and --hist can be combined with the subjects, and that --top has
 * subjects from which it can select.
 */
static int resolve_subjects(struct export_options *options)
{
	struct stat_config *cfg = &options->stat.count;
	bool has_subjects = cfg->progs || cfg->scopes || stat_config__for_each_cgroup(cfg) ||
			    cfg->aggr_mode == AGGR_THREAD;

	cfg->per_prog = cfg->progs;
	cfg->per_scope = cfg->scopes;
	if (has_subjects && cfg->aggr_mode == AGGR_NONE)
		return refuse("-A cannot be combined with -b, --scope or --for-each-cgroup, whose "
			      "samples have no CPU: omit -A");
	if (cfg->hist && stat_config__for_each_cgroup(cfg))
		return refuse("--hist and --for-each-cgroup cannot be combined: the histograms are "
			      "not divided by cgroup");
	if (options->stat.top && !has_subjects)
		return refuse("--top selects among cgroups, programs, scopes or threads: give -b, "
			      "--scope, --for-each-cgroup or --per-thread too");
	return 0;
}

static void add_default_events(struct raw_options *raw)
{
	const struct stat_config *cfg = &raw->to->count;

	raw_options__add_word(raw, WORD_EVENT,
			      cfg->progs || cfg->scopes || cfg->bpf_counters ? DEFAULT_EVENTS_BPF :
									       DEFAULT_EVENTS);
}

int export_options__parse(int argc, char **argv, struct export_options *options)
{
	struct raw_options raw = { .to = &options->stat, .command = OF_EXPORT };
	int code;

	*options = (struct export_options){
		.stat = { .runs = 1,
			  .log_fd = -1,
			  .metrics = STAT_METRICS_INIT,
			  .scopes = SCOPE_LIST_INIT,
			  .point_files = SCOPE_LIST_INIT,
			  .scope_text = STRBUF_INIT,
			  .count = { .inherit = true } },
	};
	code = option_words__read(&raw, argc, argv);
	log__set_level(options->stat.verbose > 1 ? LOG_DEBUG :
		       options->stat.verbose	 ? LOG_INFO :
						   LOG_WARNING);
	if (!code)
		stat_values__resolve_overrides(&raw);
	code = code ?: option_words__resolve_rules(&raw, false);
	code = code ?: stat_values__resolve(&raw);
	code = code ?: resolve_format(options);
	code = code ?: check_address(options->listen);
	code = code ?: stat_targets__resolve(&raw);
	if (!code && !raw.has_events)
		add_default_events(&raw);
	code = code ?: stat_cores__resolve_cputype(&raw);
	code = code ?: stat_events__resolve(&raw);
	code = code ?: stat_cores__resolve(&raw);
	if (raw.hist)
		code = code ?: stat_outliers__resolve_hist(&raw);
	code = code ?: stat_targets__check(&raw);
	options->stat.count.needs_leaders = false;
	options->stat.count.keeps_going = true;
	options->stat.count.reads_lost = true;
	options->stat.count.follow_most = MOST_CGROUPS;
	code = code ?: resolve_times(options);
	code = code ?: resolve_subjects(options);
	raw_options__free(&raw);
	return code;
}

void export_options__free(struct export_options *options)
{
	stat_options__free(&options->stat);
}
