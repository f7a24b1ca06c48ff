// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-metrics.h"

#include <errno.h>
#include <stdio.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/count/stat-config.h"
#include "util/event/evlist.h"
#include "util/event/parse-events.h"
#include "util/event/vendor.h"
#include "util/report/metric-file.h"
#include "util/machine/machine-view.h"
#include "util/report/metric-set.h"
#include "util/report/metric-table.h"
#include "util/report/metric-vendor.h"

/* Options without a letter; no other parser of the command has these numbers. */
enum {
	OPT_METRIC_ONLY = 0x300,
	OPT_METRIC_NO_GROUP,
	OPT_METRIC_NO_MERGE,
	OPT_METRIC_NO_THRESHOLD,
	OPT_METRICS_FILE,
};

static const struct argp_option options_table[] = {
	{ "metrics", 'M', "NAMES", 0, "count what these metrics or groups of metrics are made of, and show them", 0 },
	{ "metrics-file", OPT_METRICS_FILE, "FILE", 0, "metrics as vendors publish them for perf (JSON)", 0 },
	{ "metric-only", OPT_METRIC_ONLY, NULL, 0, "show metrics and no counts, in columns", 0 },
	{ "metric-no-group", OPT_METRIC_NO_GROUP, NULL, 0, "do not group the events of a metric", 0 },
	{ "metric-no-merge", OPT_METRIC_NO_MERGE, NULL, 0, "do not share events between metrics", 0 },
	{ "metric-no-threshold", OPT_METRIC_NO_THRESHOLD, NULL, 0, "count no events for thresholds alone", 0 },

	{ "no-metric-only", OPT_METRIC_ONLY | OPT_NEGATED, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "no-metric-no-group", OPT_METRIC_NO_GROUP | OPT_NEGATED, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "no-metric-no-merge", OPT_METRIC_NO_MERGE | OPT_NEGATED, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "no-metric-no-threshold", OPT_METRIC_NO_THRESHOLD | OPT_NEGATED, NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
	struct stat_metrics *metrics = state->input;
	bool on = !(key & OPT_NEGATED);

	switch (key & ~OPT_NEGATED) {
	case 'M':
		strbuf__addf(&metrics->list, "%s%s", metrics->given ? "," : "", arg);
		metrics->given = true;
		break;
	case OPT_METRICS_FILE:
		metrics->file = arg;
		break;
	case OPT_METRIC_ONLY:
		metrics->only = on;
		break;
	case OPT_METRIC_NO_GROUP:
		metrics->no_group = on;
		break;
	case OPT_METRIC_NO_MERGE:
		metrics->no_merge = on;
		break;
	case OPT_METRIC_NO_THRESHOLD:
		metrics->no_threshold = on;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp stat_metrics_argp = {
	.options = options_table,
	.parser = parse_word,
};

/* The user's file comes after the vendor's metrics and replaces those of the same name. */
static int make_table(struct stat_metrics *metrics, const struct event_env *env)
{
	struct strbuf why = STRBUF_INIT;
	int err = 0;

	metrics->table = metric_table__new();
	if (!metrics->table || strbuf__failed(&metrics->list))
		return command__out_of_memory();
	if (env->vendor)
		err = metric_vendor__load(env->vendor, env->roots, metrics->table);
	if (!err && metrics->file)
		err = metric_file__load(metrics->file, metrics->table, &why);
	if (err && err != -ENOMEM)
		pr_err("--metrics-file %s", why.text);
	strbuf__free(&why);
	return err == -ENOMEM ? command__out_of_memory() : err ? EXIT_USAGE : 0;
}

/* The words of an unknown metric are perf's, bare. */
static int told(int err, const struct strbuf *why, struct vendor *vendor)
{
	struct strbuf clean = STRBUF_INIT;

	switch (err) {
	case 0:
		return 0;
	case -ENOENT:
		strbuf__add_clean_lines(&clean, why->text);
		fprintf(stderr, "%s\n", clean.text);
		strbuf__free(&clean);
		if (vendor && vendor__missing(vendor))
			pr_warn("%s", vendor__missing(vendor));
		return EXIT_CONFLICT;
	case -EINVAL:
		pr_err("-M: %s", why->text);
		return EXIT_USAGE;
	default:
		return command__out_of_memory();
	}
}

int stat_metrics__add_events(struct stat_metrics *metrics, const struct stat_config *cfg, const struct event_env *env,
			     struct evlist *evlist)
{
	struct machine_view machine = {
		.roots = env->roots,
		.system_wide = cfg->system_wide,
		.cpus = cfg->cpus,
	};
	struct metric_set_config config = {
		.machine = &machine,
		.events = env,
		.no_group = metrics->no_group,
		.no_merge = metrics->no_merge,
		.no_threshold = metrics->no_threshold,
	};
	struct strbuf why = STRBUF_INIT;
	struct metric_set *set;
	int before = evlist->nr, code = 0;

	if (!metrics->table && (metrics->given || metrics->file))
		code = make_table(metrics, env);
	if (code || !metrics->given)
		return code;
	config.table = metrics->table;
	code = told(metric_set__new(&config, metrics->list.text, evlist, &set, &why), &why, env->vendor);
	strbuf__free(&why);
	if (code)
		return code;
	if (!metrics->set) {
		metrics->set = set;
		metrics->first_event = before;
		return 0;
	}
	/* the events of a second cgroup: from now on they repeat after as many */
	if (!metrics->repeats)
		metric_set__repeat(metrics->set, before - metrics->first_event);
	metrics->repeats = true;
	metric_set__free(set);
	return 0;
}

void stat_metrics__free(struct stat_metrics *metrics)
{
	strbuf__free(&metrics->list);
	metric_set__free(metrics->set);
	metric_table__free(metrics->table);
}
