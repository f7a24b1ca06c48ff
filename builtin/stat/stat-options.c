// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the command line. First stores all arguments. Then the functions of builtin/stat/stat-raw.h
 * handle the options that do more than set a field.
 */
#include "builtin/stat/stat-options.h"

#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/event/evlist.h"
#include "util/event/vendor.h"
#include "util/machine/bpf/bpf-prog-select.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/threadmap.h"

/* ---- options whose order matters ---- */

/*
 * Skips quotes around the whole argument of -e. Some scripts quote the argument twice, and perf
 * stat ignores the inner quotes. Moves *@value past the first quote, and returns the length of the
 * text inside the quotes. Without such quotes, returns the length of *@value.
 */
static size_t unquote(const char **value)
{
	const char *text = *value + strspn(*value, " ");
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		len--;
	if (len < 3 || (*text != '"' && *text != '\'') || strchr(text + 1, *text) != text + len - 1)
		return strlen(*value);
	*value = text + 1;
	return len - 2;
}

const char *raw_options__given(const struct raw_options *raw, const struct option_row *row)
{
	return raw->given[row - option_rows];
}

void raw_options__add_word(struct raw_options *raw, enum event_word_kind kind, const char *text)
{
	size_t len = kind == WORD_EVENT ? unquote(&text) : strlen(text);
	struct event_word *words =
		reallocarray(raw->words, (size_t)raw->nr_words + 1, sizeof(*words));
	char *copy = strndup(text, len);

	/* as in perf, an empty list in --pfm-events does not replace the default events */
	raw->has_events |= kind == WORD_EVENT || (kind == WORD_PFM && text[strspn(text, ",{}")]);
	raw->to->has_points |= kind == WORD_SCOPE || kind == WORD_START || kind == WORD_STOP;
	if (words)
		raw->words = words;
	if (words && copy) {
		raw->words[raw->nr_words++] = (struct event_word){ kind, copy };
	} else {
		raw->words_failed = true;
		free(copy);
	}
}

bool raw_options__has_word(const struct raw_options *raw, enum event_word_kind kind)
{
	for (int i = 0; i < raw->nr_words; i++)
		if (raw->words[i].kind == kind)
			return true;
	return false;
}

void raw_options__free(struct raw_options *raw)
{
	for (int i = 0; i < raw->nr_words; i++)
		free(raw->words[i].text);
	free(raw->words);
	free(raw->cputype_pmu);
	free(raw->bpf_events);
	free(raw->bpf_events_from);
	vendor__free(raw->vendor);
}

/* ---- all options ---- */

static void set_log_level(const struct stat_options *options)
{
	if (options->quiet && !options->verbose)
		log__set_level(LOG_ERROR);
	else
		log__set_level(options->verbose > 1 ? LOG_DEBUG :
			       options->verbose	    ? LOG_INFO :
						      LOG_WARNING);
}

static int resolve_refused(const struct raw_options *raw)
{
	if (!raw->refused)
		return 0;
	pr_err("--%s: %s", raw->refused->name, raw->refused->help);
	return EXIT_USAGE;
}

/*
 * Returns whether the command line is for `stat record` or `stat report`. If pstat was started
 * under the name perf, accepts abbreviations of at least three letters, even after --, because perf
 * does so.
 */
static bool is_file_command(const struct raw_options *raw)
{
	const char *name = raw->to->count.argv ? raw->to->count.argv[0] : "";
	size_t len = strlen(name);

	if (raw->to->as_perf)
		return len > 2 && (!strncmp("record", name, len) || !strncmp("report", name, len));
	return !raw->dashes && (!strcmp(name, "record") || !strcmp(name, "report"));
}

static int refuse_file_command(const struct raw_options *raw)
{
	pr_err("stat %s: pstat does not record samples in files\n"
	       "use `pstat profile` to see where events occur, -o, -x or -j to keep counts, or "
	       "`-- %s` to run a command of this name",
	       raw->to->count.argv[0], raw->to->count.argv[0]);
	return EXIT_USAGE;
}

int stat_options__parse(int argc, char **argv, bool as_perf, struct stat_options *options)
{
	struct raw_options raw = { .to = options, .command = OF_STAT };
	int code;

	*options = (struct stat_options){
		.as_perf = as_perf,
		.big_num = true,
		.csv_summary = true,
		.runs = 1,
		.log_fd = -1,
		.metrics = STAT_METRICS_INIT,
		.scopes = SCOPE_LIST_INIT,
		.point_files = SCOPE_LIST_INIT,
		.scope_text = STRBUF_INIT,
		.outliers = { .rate = OUTLIER_RATE_DEFAULT },
		.compare = { .spec.seed = COMPARE_SEED },
		.count = { .inherit = true },
	};
	code = option_words__read(&raw, argc, argv);
	set_log_level(options);
	options->file_command = !code && is_file_command(&raw) ? options->count.argv[0] : NULL;
	if (!options->show_version && !(as_perf && options->file_command)) {
		if (options->prog_text && options->count.argv && !raw.dashes)
			code = code ?: stat_bpftool__resolve(&raw);
		code = code ?: resolve_refused(&raw);
		if (options->file_command)
			code = code ?: refuse_file_command(&raw);
		if (!code)
			stat_values__resolve_overrides(&raw);
		code = code ?: option_words__resolve_rules(&raw, false);
		code = code ?: stat_values__resolve(&raw);
		code = code ?: stat_perf_config__resolve(&raw);
		if (!code && options->compare.nr_ab)
			code = stat_compare__resolve_ab(&raw);
		code = code ?: stat_targets__resolve(&raw);
		if (!code && stat_options__keeps_counts(options))
			stat_compare__resolve_intervals(&raw);
		code = code ?: stat_cores__resolve_cputype(&raw);
		code = code ?: stat_events__resolve(&raw);
		code = code ?: stat_cores__resolve(&raw);
		if (raw.hist)
			code = code ?: stat_outliers__resolve_hist(&raw);
		if (raw.outliers)
			code = code ?: stat_outliers__resolve(&raw);
		code = code ?: stat_targets__check(&raw);
		if (options->count.points)
			code = code ?: stat_points__check_events(&raw);
	}
	raw_options__free(&raw);
	return code;
}

static void free_cgroups(struct stat_options *options)
{
	for (int i = 0; i < options->nr_cgroups; i++)
		cgroup__close(options->opened_cgroups[i]);
	free(options->opened_cgroups);
	cgroup_mount__free(&options->cgroup_mount);
}

static void free_points(struct stat_options *options)
{
	scope_list__free(&options->scopes);
	scope_points__free(options->points.start, options->points.nr_start);
	scope_points__free(options->points.stop, options->points.nr_stop);
	scope_list__free(&options->point_files);
	strbuf__free(&options->scope_text);
}

bool stat_options__compares(const struct stat_options *options)
{
	return options->compare.against || options->compare.nr_ab;
}

bool stat_options__keeps_counts(const struct stat_options *options)
{
	return options->compare.save || stat_options__compares(options);
}

void stat_options__free(struct stat_options *options)
{
	if (options->metrics.table || options->metrics.list.room)
		stat_metrics__free(&options->metrics);
	evlist__free(options->evlist);
	cpumap__free(options->count.cpus);
	threadmap__free(options->count.threads);
	if (options->count.control || options->control.missing)
		control_spec__free(&options->control);
	if (options->cgroup_mount.dir)
		free_cgroups(options);
	if (options->progs)
		prog_selection__free(options->progs);
	if (options->has_points)
		free_points(options);
	if (options->compare.spec.limits)
		compare_spec__free(&options->compare.spec);
}
