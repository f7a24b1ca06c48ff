// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles options that override others, and values other than plain text or numbers.
 *
 * For some pairs of options, perf ignores one of the two options, and some scripts give both. pstat
 * ignores the same option as perf, regardless of the order. The rules are in perf's
 * target__validate(), opt_aggr_mode_to_aggr_mode() and add_default_attributes() (Linux 6.12).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/number.h"

#define WEEK_MS (7ULL * 24 * 3600 * 1000)
#define CACHE_LEVEL_MAX 4

/* ---- options that others override ---- */

/*
 * -p overrides -t, and both override the options for CPUs (-a and -C). If -a or -C is overridden,
 * prints the same line as perf, without the prefix "pstat: ", even with --quiet.
 */
static void resolve_tasks_or_cpus(struct raw_options *raw)
{
	const char *line = NULL;

	if (raw->to->pid_text)
		option_words__drop(raw, "-t");
	if (!raw->to->pid_text && !raw->to->tid_text)
		return;
	if (raw->to->all_cpus)
		line = "PID/TID switch overriding SYSTEM";
	if (raw->to->cpu_text)
		line = "PID/TID switch overriding CPU";
	if (line)
		fprintf(stderr, "%s\n", line);
	option_words__drop(raw, "-C");
	option_words__drop(raw, "-a");
}

/*
 * If several aggregation modes (options such as --per-core) were given, uses the mode that comes
 * first in order[], and ignores the others.
 */
static void resolve_mode(struct raw_options *raw)
{
	static const enum aggr_mode order[] = {
		AGGR_NONE,    AGGR_THREAD, AGGR_CORE,	AGGR_CACHE,
		AGGR_CLUSTER, AGGR_DIE,	   AGGR_SOCKET, AGGR_NODE,
	};
	enum aggr_mode mode = AGGR_GLOBAL;

	if (!raw->modes)
		return;
	for (size_t i = sizeof(order) / sizeof(order[0]); i > 0; i--)
		if (raw->modes & 1U << order[i - 1])
			mode = order[i - 1];
	raw->to->count.aggr_mode = mode;
	for_each_option_row(row)
		if (row->value.kind == OPTION_MODE && row->value.which != (int)mode)
			raw->given[row - option_rows] = NULL;
}

/*
 * -n overrides --transaction, --smi-cost and --topdown. --transaction overrides --smi-cost and
 * --topdown, and --smi-cost overrides --topdown.
 */
static void resolve_metrics(struct stat_metrics *metrics, bool null_run)
{
	metrics->transaction &= !null_run;
	metrics->smi_cost &= !null_run && !metrics->transaction;
	metrics->topdown &= !null_run && !metrics->transaction && !metrics->smi_cost;
}

void stat_values__resolve_overrides(struct raw_options *raw)
{
	struct stat_options *to = raw->to;

	resolve_tasks_or_cpus(raw);
	resolve_mode(raw);
	resolve_metrics(&to->metrics, to->null_run);
	if (raw->to->prog_text || raw_options__has_word(raw, WORD_SCOPE))
		option_words__drop(raw, "--bpf-counters");
	if (to->null_run)
		raw->detailed = 0;
	/*
	 * JSON overrides CSV. If both are requested, perf prints lines that begin as JSON and end
	 * as CSV, so no program can read them.
	 */
	if (to->json)
		to->csv_separator = NULL;
	/* like perf, do not open or create a file if nothing will be written to it */
	if (to->quiet)
		to->output = NULL;
}

/* ---- values ---- */

int stat_values__resolve_number(const char *option, const char *text, uint64_t min, uint64_t max,
				const char *what, uint64_t *value)
{
	if (!text || !number__parse_option(text, min, max, value))
		return 0;
	pr_err("%s %s: %s must be a whole number from %llu to %llu", option, log__value(text), what,
	       (unsigned long long)min, (unsigned long long)max);
	return EXIT_USAGE;
}

int stat_values__check_delay(struct raw_options *raw, const char *text)
{
	struct stat_config *cfg = &raw->to->count;

	if (!strcmp(text, "-1")) {
		cfg->start_disabled = true;
		return 0;
	}
	if (number__parse_option(text, 0, WEEK_MS, &cfg->delay_ns)) {
		pr_err("-D %s: the delay in milliseconds must be a whole number from 0 to %llu, "
		       "or -1 to begin when --control enables the events",
		       log__value(text), WEEK_MS);
		return EXIT_USAGE;
	}
	cfg->delay_ns *= NSEC_PER_MSEC;
	return 0;
}

/* Refuses options that compare repetitions if there are no repetitions to compare. */
static int resolve_repetitions(const struct raw_options *raw)
{
	const char *option = raw->to->table ? "--table" : raw->to->range ? "--range" : NULL;

	if (!option || raw->to->runs > 1)
		return 0;
	pr_err("%s and -r %s cannot be combined: %s compares repetitions: give -r 2 or more",
	       option, option_words__given(raw, "-r"), option);
	return EXIT_CONFLICT;
}

int stat_values__check_control(struct raw_options *raw, const char *text)
{
	struct strbuf why = STRBUF_INIT;
	struct control_spec *spec = &raw->to->control;
	int err = control_spec__parse(text, spec, &why);

	if (err)
		pr_err("--control %s: %s", log__value(text), why.len ? why.text : strerror(-err));
	else if (spec->fd >= 0 || spec->fifo)
		raw->to->count.control = spec;
	if (!err && spec->missing)
		pr_warn("--control %s: file descriptor %s is not open\n"
			"pstat counts as if --control were not given",
			text, spec->missing);
	strbuf__free(&why);
	return err == -ENOMEM ? EXIT_FAILED : err ? EXIT_USAGE : 0;
}

int stat_values__check_cache_level(struct raw_options *raw, const char *text)
{
	uint64_t level;

	if (text == option_no_value)
		return 0;
	if (number__parse_uint(text + (*text == 'L' || *text == 'l'), 1, CACHE_LEVEL_MAX, &level)) {
		pr_err("--per-cache=%s: the level of a cache must be L1 to L%d", log__value(text),
		       CACHE_LEVEL_MAX);
		return EXIT_USAGE;
	}
	raw->to->cache_level = (int)level;
	return 0;
}

int stat_values__check_log_fd(struct raw_options *raw, const char *text)
{
	uint64_t fd = 0;
	int code = stat_values__resolve_number("--log-fd", text, 0, INT_MAX, "the file descriptor",
					       &fd);

	if (code || !fd) /* as in perf, 0 means that the option is not used */
		return code;
	raw->to->log_fd = (int)fd;
	if (fcntl(raw->to->log_fd, F_GETFD) < 0) {
		pr_err("--log-fd %s: this file descriptor is not open", text);
		return EXIT_USAGE;
	}
	return 0;
}

int stat_values__resolve(struct raw_options *raw)
{
	struct stat_options *to = raw->to;
	int code = option_words__resolve_values(raw);

	code = code ?: resolve_repetitions(raw);
	if (code)
		return code;
	/* "-o -" means stderr, which is the default */
	if (to->output && !strcmp(to->output, "-")) {
		to->output = NULL;
		to->append = false;
	}
	if (to->csv_separator && !strcmp(to->csv_separator, "\\t"))
		to->csv_separator = "\t";
	if (to->interval_clear && !isatty(STDERR_FILENO)) {
		pr_err("--interval-clear: stderr is not a terminal");
		return EXIT_FAILED;
	}
	return 0;
}
