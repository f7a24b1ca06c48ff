// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/stat/stat-baseline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "builtin/builtin.h"
#include "builtin/compare/compare-print.h"
#include "builtin/stat/stat-options.h"
#include "builtin/stat/stat-output.h"
#include "builtin/version.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/measurement.h"
#include "util/count/session.h"
#include "util/event/evlist.h"
#include "util/report/compare/baseline-file.h"
#include "util/report/compare/baseline.h"
#include "util/report/compare/compare.h"
#include "util/report/stat_row.h"

/*
 * The maximum number of intervals to keep if the user did not choose their length
 * (stat_options.hides_intervals). If there are more, pstat merges adjacent intervals.
 */
#define INTERVALS_MAX 256

struct stat_baseline {
	const struct stat_options *options;
	struct baseline *sides[2]; /* the counts of this session; sides[1] is used only with --ab */
	struct baseline *old;	   /* the counts in the file of --against, or NULL */
};

static void add_target(const struct stat_options *options, int side, struct strbuf *sb)
{
	const struct stat_config *cfg = &options->count;

	if (options->compare.nr_ab) {
		strbuf__adds(sb, options->compare.ab[side]);
		return;
	}
	if (options->prog_text)
		strbuf__addf(sb, "BPF program(s) %s", options->prog_text);
	else if (options->scope_text.len)
		strbuf__addf(sb, "scope(s) %s", options->scope_text.text);
	else if (options->pid_text || options->tid_text)
		strbuf__addf(sb, "%s %s", options->pid_text ? "process(es)" : "thread(s)",
			     options->pid_text ?: options->tid_text);
	else if (cfg->system_wide)
		strbuf__adds(sb, options->cpu_text ? "CPU(s) " : "system wide");
	if (cfg->system_wide && options->cpu_text)
		strbuf__adds(sb, options->cpu_text);
	for (int i = 0; cfg->argv && cfg->argv[i]; i++)
		strbuf__addf(sb, "%s%s", sb->len ? " " : "", cfg->argv[i]);
}

/*
 * Makes a baseline that describes this session, but has no counts yet. Returns NULL if memory ran
 * out.
 */
static struct baseline *make_side(const struct stat_options *options, int side)
{
	struct baseline *b = baseline__new();
	struct strbuf target = STRBUF_INIT;
	time_t now = time(NULL);
	char text[32] = "";
	struct tm tm;

	if (!b)
		return NULL;
	if (gmtime_r(&now, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	add_target(options, side, &target);
	b->intervals = options->count.interval_ns;
	b->time = strdup(text);
	b->version = strdup(version__number());
	b->target = strbuf__detach(&target);
	strbuf__free(&target);
	if (!b->time || !b->version || !b->target || baseline__add_facts(b, sysroots__host())) {
		baseline__free(b);
		return NULL;
	}
	return b;
}

static int load_old(struct stat_baseline *b)
{
	struct strbuf why = STRBUF_INIT;
	int err = baseline__load(b->options->compare.against, &b->old, &why);

	if (err)
		pr_err("--against: %s", reason__text(&why, err));
	strbuf__free(&why);
	return err == -EINVAL ? EXIT_USAGE : err ? EXIT_FAILED : 0;
}

/*
 * Before counting, checks whether the file of --save can be written. Returns 0, or EXIT_FAILED
 * after reporting the reason.
 */
static int check_save(const struct stat_options *options)
{
	const char *path = options->compare.save;
	int err = path ? baseline_file__check(path) : 0;

	if (err == -ENOMEM)
		return command__out_of_memory();
	if (err)
		pr_err("--save %s: cannot be written: %s", log__value(path), strerror(-err));
	return err ? EXIT_FAILED : 0;
}

int stat_baseline__new(const struct stat_options *options, struct stat_baseline **out)
{
	struct stat_baseline *b;
	int code = 0;

	*out = NULL;
	b = calloc(1, sizeof(*b));
	if (!b)
		return command__out_of_memory();
	b->options = options;
	for (int i = 0; !code && i < (options->compare.nr_ab ? 2 : 1); i++) {
		b->sides[i] = make_side(options, i);
		code = b->sides[i] ? 0 : command__out_of_memory();
	}
	code = code ?: check_save(options);
	if (!code && options->compare.against)
		code = load_old(b);
	if (code)
		stat_baseline__free(b);
	else
		*out = b;
	return code;
}

void stat_baseline__free(struct stat_baseline *b)
{
	if (!b)
		return;
	baseline__free(b->sides[0]);
	baseline__free(b->sides[1]);
	baseline__free(b->old);
	free(b);
}

int stat_baseline__add_rows(struct stat_baseline *b, int side, const struct stat_rows *rows)
{
	int err = baseline__add_rows(b->sides[side], rows, b->options->evlist);

	if (!err && b->options->hides_intervals)
		baseline__limit(b->sides[side], INTERVALS_MAX);
	return err;
}

static double to_seconds(uint64_t ns)
{
	return (double)ns / (double)NSEC_PER_SEC;
}

int stat_baseline__add_run(struct stat_baseline *b, int side, const struct session_end *end)
{
	struct baseline_time time = { to_seconds(end->total->time_ns), NAN, NAN, -1 };

	b->sides[side]->lost_runs += end->total->lost_runs;
	if (b->sides[side]->intervals)
		return 0;
	if (end->command_ended) {
		time.user = to_seconds(end->user_ns);
		time.system = to_seconds(end->sys_ns);
	}
	if (end->command_ended && WIFEXITED(end->command_status))
		time.code = WEXITSTATUS(end->command_status);
	return baseline_times__add(&b->sides[side]->times, &time);
}

/*
 * Writes the file of --save. With --ab, saves the values of the second command, because these are
 * the new values in the comparison.
 */
static int save(const struct stat_baseline *b)
{
	const struct baseline *side = b->sides[1] ?: b->sides[0];
	struct strbuf why = STRBUF_INIT;
	int err;

	if (!side->nr) {
		pr_err("--save %s: not written, because no repetition was completed",
		       log__value(b->options->compare.save));
		return EXIT_FAILED;
	}
	err = baseline__save(side, b->options->compare.save, &why);

	if (err)
		pr_err("--save: %s", reason__text(&why, err));
	strbuf__free(&why);
	return err ? EXIT_FAILED : 0;
}

int stat_baseline__finish(struct stat_baseline *b, struct stat_output *output)
{
	const struct stat_options *options = b->options;
	const struct compare_format format = { .json = options->json,
					       .separator = options->csv_separator,
					       .markdown = options->compare.markdown };
	struct strbuf text = STRBUF_INIT;
	int code = 0, verdict = 0;

	if (options->compare.save)
		code = save(b);
	if (!code && stat_options__compares(options)) {
		verdict = compare_print__run(b->old ?: b->sides[0], b->sides[1] ?: b->sides[0],
					     &options->compare.spec, &format,
					     options->compare.strict, &text);
		if (strbuf__failed(&text))
			code = command__out_of_memory();
		else if (text.len && stat_output__text(output, &text))
			code = EXIT_FAILED;
	}
	strbuf__free(&text);
	return code ?: verdict;
}
