// SPDX-License-Identifier: GPL-2.0-only
/* pstat list: the names that options take. */
#include <argp.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/list-metrics.h"
#include "util/base/log.h"

#define OPT_METRICS_FILE 0x100
#define OPT_NO_DESC 0x101

static const struct argp_option options_table[] = {
	{ "json", 'j', NULL, 0, "as JSON", 0 },
	{ "no-desc", OPT_NO_DESC, NULL, 0, "only names", 0 },
	{ "long-desc", 'v', NULL, 0, "expressions, thresholds and long descriptions too", 0 },
	{ "metrics-file", OPT_METRICS_FILE, "FILE", 0, "metrics as vendors publish them for perf (JSON)", 0 },
	{ 0 }
};

struct list_options {
	struct list_metrics_options metrics;
	const char **words;
	int nr_words;
};

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
	struct list_options *options = state->input;

	switch (key) {
	case 'j':
		options->metrics.json = true;
		break;
	case OPT_NO_DESC:
		options->metrics.names_only = true;
		break;
	case 'v':
		options->metrics.details = true;
		break;
	case OPT_METRICS_FILE:
		options->metrics.file = arg;
		break;
	case ARGP_KEY_ARG:
		options->words[options->nr_words++] = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = options_table,
	.parser = parse_word,
	.args_doc = "metrics [GLOB…]",
	.doc = "List the metrics that -M takes.\vGLOB is a pattern for their names and groups, or a part of one.",
};

int cmd_list(int argc, char **argv)
{
	struct list_options options = { 0 };
	int code;

	setlocale(LC_ALL, "");
	argv[0] = (char *)"pstat list";
	argp_err_exit_status = EXIT_USAGE;
	options.words = calloc((size_t)argc + 1, sizeof(*options.words));
	if (!options.words || argp_parse(&argp, argc, argv, 0, NULL, &options)) {
		free(options.words);
		return EXIT_USAGE;
	}
	if (!options.nr_words || strcmp(options.words[0], "metrics") != 0) {
		pr_err("list: say what to list: pstat list metrics");
		code = EXIT_USAGE;
	} else {
		options.metrics.globs = options.words + 1;
		options.metrics.nr_globs = options.nr_words - 1;
		code = list_metrics(&options.metrics, stdout);
	}
	free(options.words);
	return code;
}
