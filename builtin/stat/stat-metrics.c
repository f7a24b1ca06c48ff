// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-metrics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "builtin/stat/stat-smi.h"
#include "util/base/log.h"
#include "util/count/stat-config.h"
#include "util/event/evlist.h"
#include "util/event/parse-events.h"
#include "util/event/vendor.h"
#include "util/machine/machine-view.h"
#include "util/metric/metric-file.h"
#include "util/metric/metric-set.h"
#include "util/metric/metric-table.h"

void stat_metrics__take(struct raw_options *raw, const char *text, bool on)
{
	struct stat_metrics *metrics = &raw->to->metrics;

	(void)on;
	strbuf__addf(&metrics->list, "%s%s", metrics->given ? "," : "", text);
	metrics->given = true;
}

void stat_metrics__take_only(struct raw_options *raw, const char *text, bool on)
{
	(void)text;
	raw->to->metrics.only = on;
	raw->to->metrics.only_given = true;
}

/*
 * Makes the table of metrics. Reads the user's file after the vendor's metrics, so that a metric in
 * the user's file replaces the vendor's metric with the same name.
 */
static int make_table(struct stat_metrics *metrics, const struct event_env *env)
{
	struct strbuf why = STRBUF_INIT;
	int err = 0;

	metrics->table = metric_table__new();
	if (!metrics->table || strbuf__failed(&metrics->list))
		return command__out_of_memory();
	if (env->vendor)
		err = metric_file__load_vendor(env->vendor, env->roots, metrics->table);
	if (!err && metrics->file)
		err = metric_file__load(metrics->file, metrics->table, &why);
	if (err && err != -ENOMEM)
		pr_err("--metrics-file %s", why.text);
	strbuf__free(&why);
	return err == -ENOMEM ? command__out_of_memory() : err ? EXIT_USAGE : 0;
}

/*
 * Reports the error @err, and returns the exit code. If @err is 0, returns 0. If a metric is
 * unknown, prints perf's message, without the prefix "pstat: ".
 */
static int report_reason(int err, const struct strbuf *why, struct vendor *vendor)
{
	struct strbuf clean = STRBUF_INIT;

	switch (err) {
	case 0:
		return 0;
	case -ENOENT:
		strbuf__add_clean_lines(&clean, why->text);
		fprintf(stderr, "%s\n", clean.text);
		strbuf__free(&clean);
		if (vendor && vendor__missing(vendor) && !strstr(why->text, "did you mean"))
			pr_warn("%s", vendor__missing(vendor));
		return EXIT_CONFLICT;
	case -EINVAL:
		pr_err("-M: %s", why->text);
		return EXIT_USAGE;
	default:
		return command__out_of_memory();
	}
}

/*
 * Adds the metrics and groups of metrics in @list to *@set, and their events to @evlist. If *@set
 * is NULL, sets it to a new set.
 */
static int add_list(const struct metric_set_config *config, const char *list, struct evlist *evlist,
		    struct metric_set **set)
{
	struct strbuf why = STRBUF_INIT;
	struct metric_set *more;
	int err = metric_set__new(config, list, evlist, &more, &why);

	if (!err && !*set)
		*set = more;
	else if (!err)
		err = metric_set__join(*set, more);
	err = report_reason(err, &why, config->events->vendor);
	strbuf__free(&why);
	return err;
}

/*
 * Adds the metrics of --topdown. As in perf, adds no events that only thresholds need, and shows
 * only metrics unless the user gave --[no-]metric-only.
 */
static int add_topdown(struct stat_metrics *metrics, const struct stat_config *cfg,
		       struct metric_set_config config, struct evlist *evlist,
		       struct metric_set **set)
{
	struct strbuf group = STRBUF_INIT;
	int code = stat_topdown__find(metrics->table, metrics->td_level, config.events->vendor,
				      &group);

	config.no_group = config.no_merge = false;
	config.no_threshold = true;
	metrics->only |= !metrics->only_given;
	if (!code && !cfg->interval_ns && !metrics->only)
		log__plain("Topdown accuracy may decrease when measuring long periods.\n"
			   "Please print the result regularly, e.g. -I1000\n");
	code = code ?: add_list(&config, group.text, evlist, set);
	strbuf__free(&group);
	return code;
}

/* Adds the metric or the group of metrics @name, for -T or --smi-cost. */
static int add_group(const struct stat_metrics *metrics, const struct metric_set_config *config,
		     const char *name, struct evlist *evlist, struct metric_set **set)
{
	int code = stat_topdown__check(metrics->table, config->events->vendor, name);

	return code ?: add_list(config, name, evlist, set);
}

static int add_smi_cost(struct stat_metrics *metrics, const struct metric_set_config *config,
			struct evlist *evlist, struct metric_set **set)
{
	int code = stat_smi__check();

	metrics->only |= !metrics->only_given;
	return code ?: add_group(metrics, config, "smi", evlist, set);
}

static struct machine_view machine_of(const struct stat_config *cfg, const struct event_env *env)
{
	return (struct machine_view){
		.roots = env->roots,
		.system_wide = cfg->system_wide,
		.cpus = cfg->cpus,
	};
}

int stat_metrics__add_events(struct stat_metrics *metrics, const struct stat_config *cfg,
			     const struct event_env *env, struct evlist *evlist)
{
	struct machine_view machine = machine_of(cfg, env);
	struct metric_set_config config = {
		.machine = &machine,
		.events = env,
		.no_group = metrics->no_group,
		.no_merge = metrics->no_merge,
		.no_threshold = metrics->no_threshold,
	};
	struct metric_set *set = NULL;
	int code = 0;

	if (!metrics->table)
		code = make_table(metrics, env);
	config.table = metrics->table;
	if (!code && metrics->given)
		code = add_list(&config, metrics->list.text, evlist, &set);
	if (!code && metrics->transaction)
		code = add_group(metrics, &config, "transaction", evlist, &set);
	if (!code && metrics->smi_cost)
		code = add_smi_cost(metrics, &config, evlist, &set);
	if (!code && metrics->topdown)
		code = add_topdown(metrics, cfg, config, evlist, &set);
	if (code)
		metric_set__free(set);
	else if (set)
		metrics->set = set;
	return code;
}

int stat_metrics__add_defaults(struct stat_metrics *metrics, const struct stat_config *cfg,
			       const struct event_env *env, struct evlist *evlist)
{
	struct machine_view machine = machine_of(cfg, env);
	struct metric_set_config config = { .machine = &machine, .events = env };
	struct strbuf why = STRBUF_INIT;
	struct metric_set *set = NULL;
	int err = 0, code = 0;

	if (!metrics->table)
		code = make_table(metrics, env);
	config.table = metrics->table;
	if (!code)
		err = metric_set__new_default(&config, evlist, &set, &why);
	if (err == -ENOMEM)
		code = command__out_of_memory();
	else if (err)
		pr_info("the default metrics are left out: %s", why.text);
	if (!code)
		metrics->set = set;
	strbuf__free(&why);
	return code;
}

void stat_metrics__free(struct stat_metrics *metrics)
{
	strbuf__free(&metrics->list);
	if (!metrics->table)
		return;
	metric_set__free(metrics->set);
	metric_table__free(metrics->table);
}
