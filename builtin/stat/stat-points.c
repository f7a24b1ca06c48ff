// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resolves --scope, --start and --stop. Finds the points between which --scope counts, and the
 * points where pstat starts and stops counting.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/gate.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/scope/scope.h"
#include "util/machine/task/threadmap.h"

/*
 * Returns whether @file, a link in /proc/TID, refers to the same file for the threads @one and
 * @other. Returns false if a link cannot be read.
 */
static bool have_same(pid_t one, pid_t other, const char *file)
{
	const char *tasks = sysroots__tasks(sysroots__host());
	struct stat of_one, of_other;
	char path[128];

	snprintf(path, sizeof(path), "%s/%d/%s", tasks, one, file);
	if (stat(path, &of_one))
		return false;
	snprintf(path, sizeof(path), "%s/%d/%s", tasks, other, file);
	return !stat(path, &of_other) && of_one.st_dev == of_other.st_dev &&
	       of_one.st_ino == of_other.st_ino;
}

/*
 * With -p or -t, pstat looks up the files of the points in the root directory of a counted process,
 * because the process can have its own mount namespace or root directory. Returns the ID of this
 * process. Returns 0, which selects pstat's own root directory, if neither -p nor -t was given, or
 * if the threads do not all have the same mount namespace and root directory.
 */
static pid_t process_of_paths(const struct threadmap *threads)
{
	pid_t process;

	if (!threads || !threads->nr)
		return 0;
	for (int i = 1; i < threads->nr; i++)
		if (!have_same(threads->tids[0], threads->tids[i], "ns/mnt") ||
		    !have_same(threads->tids[0], threads->tids[i], "root"))
			return 0;
	process = threadmap__process_of(sysroots__host(), threads->tids[0]);
	return process > 0 ? process : threads->tids[0];
}

/* ---- --scope ---- */

static int find_scopes(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct scope_env env = { .roots = sysroots__host() };
	struct strbuf why = STRBUF_INIT;
	int err = 0;

	for (int i = 0; !err && i < raw->nr_words; i++) {
		if (raw->words[i].kind != WORD_SCOPE)
			continue;
		if (!options->scopes.nr)
			env.pid = process_of_paths(options->count.threads);
		strbuf__addf(&options->scope_text, "%s%s", options->scope_text.len ? " " : "",
			     raw->words[i].text);
		err = scope_list__add(&options->scopes, &env, raw->words[i].text, &why);
	}
	err = err ?: scope_list__distinguish(&options->scopes);
	if (err)
		pr_err("--scope %s", reason__text(&why, err));
	strbuf__free(&why);
	if (options->scopes.nr)
		options->count.scopes = &options->scopes;
	return err == -EINVAL || err == -E2BIG ? EXIT_USAGE : err ? EXIT_FAILED : 0;
}

/* ---- --start and --stop ---- */

/*
 * Moves the @nr points of @more to the end of *@points. Frees @more, even after an error. Returns 0
 * or -ENOMEM.
 */
static int add_points(struct scope_point **points, int *nr_points, struct scope_point *more, int nr)
{
	size_t size = sizeof(**points);
	struct scope_point *all = realloc(*points, size * (size_t)(*nr_points + nr));

	if (!all) {
		scope_points__free(more, nr);
		return -ENOMEM;
	}
	memcpy(all + *nr_points, more, size * (size_t)nr);
	free(more);
	*points = all;
	*nr_points += nr;
	return 0;
}

static bool is_same_place(const struct scope_point *a, const struct scope_point *b)
{
	if (a->kind == POINT_FUNC && b->kind == POINT_FUNC)
		return !strcmp(a->func, b->func) && a->address == b->address &&
		       a->at_return == b->at_return;
	/* add_point() has set the tp_id of system calls */
	if (a->tp_id || b->tp_id)
		return a->tp_id == b->tp_id;
	return a->kind == b->kind && a->file == b->file && a->offset == b->offset &&
	       a->at_return == b->at_return;
}

/*
 * Refuses a point at which pstat would both start and stop counting, because the order in which the
 * kernel runs the two BPF programs is undefined.
 */
static int refuse_common_place(const struct gate_points *points)
{
	for (int i = 0; i < points->nr_start; i++) {
		for (int j = 0; j < points->nr_stop; j++) {
			if (!is_same_place(&points->start[i], &points->stop[j]))
				continue;
			pr_err("--start and --stop cannot name the same place: %s",
			       points->start[i].name);
			return EXIT_CONFLICT;
		}
	}
	return 0;
}

/*
 * The maximum number of tracepoints, or of system calls (each has its own tracepoints), that one
 * argument of --start or --stop can match. The number is limited because the kernel needs up to 40
 * ms to close the perf event of a tracepoint.
 */
#define TRACEPOINTS_MOST 64

static int check_number(const struct scope_point *points, int nr, const char *text,
			struct strbuf *why)
{
	bool calls = points->kind == POINT_SYSCALL;

	if (nr <= TRACEPOINTS_MOST || (!calls && points->kind != POINT_TP))
		return 0;
	return reason__set(why, -E2BIG,
			   "'%s' matches %d %s, but --start and --stop accept at most %d%s", text,
			   nr, calls ? "system calls" : "tracepoints", TRACEPOINTS_MOST,
			   calls ? "\nevery system call passes tp:raw_syscalls:sys_enter and "
				   "tp:raw_syscalls:sys_exit" :
				   "");
}

static int add_point(struct stat_options *options, bool stop, const char *text, struct strbuf *why)
{
	const struct scope_env env = {
		.roots = sysroots__host(),
		.pid = process_of_paths(options->count.threads),
	};
	struct gate_points *points = &options->points;
	struct scope_point *more;
	int nr, err = scope_list__find_point(&options->point_files, &env, text, &more, &nr, why);

	if (err)
		return err;
	err = check_number(more, nr, text, why);
	for (int i = 0; !err && i < nr; i++)
		if (more[i].kind == POINT_SYSCALL)
			err = scope_point__find_tp(&more[i], env.roots, why);
	if (err) {
		scope_points__free(more, nr);
		return err;
	}
	return stop ? add_points(&points->stop, &points->nr_stop, more, nr) :
		      add_points(&points->start, &points->nr_start, more, nr);
}

static int find_gate(struct raw_options *raw)
{
	struct stat_options *options = raw->to;
	struct strbuf why = STRBUF_INIT;
	int err = 0;

	options->points.files = &options->point_files;
	for (int i = 0; !err && i < raw->nr_words; i++) {
		bool stop = raw->words[i].kind == WORD_STOP;

		if (!stop && raw->words[i].kind != WORD_START)
			continue;
		err = add_point(options, stop, raw->words[i].text, &why);
		if (err)
			pr_err("%s %s", stop ? "--stop" : "--start", reason__text(&why, err));
	}
	strbuf__free(&why);
	if (err)
		return err == -EINVAL || err == -E2BIG ? EXIT_USAGE : EXIT_FAILED;
	if (options->points.nr_start || options->points.nr_stop)
		options->count.points = &options->points;
	return refuse_common_place(&options->points);
}

int stat_points__resolve(struct raw_options *raw)
{
	return find_scopes(raw) ?: find_gate(raw);
}

int stat_points__check_events(const struct raw_options *raw)
{
	const struct stat_options *options = raw->to;
	const struct evsel *evsel;

	if (options->count.scopes || options->count.progs)
		return 0;
	evlist__for_each(options->evlist, evsel)
		if (evsel->tool == TOOL_NONE)
			return 0;
	pr_err("--start and --stop act on counters, but none of these events uses a counter: count "
	       "task-clock too");
	return EXIT_USAGE;
}
