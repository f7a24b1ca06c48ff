// SPDX-License-Identifier: GPL-2.0-only
/* Finds tracepoints, specified as tp:CATEGORY:NAME. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/near-names.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/pmu/pmu-dir.h"
#include "util/machine/scope/scope-search.h"

struct finder {
	const struct scope_search *search;
	const struct point_spec *spec;
	struct scope_points *points;
	int first;	   /* index of the first point that this search adds */
	bool use_syscalls; /* tracepoints of system calls get the kind POINT_SYSCALL */
};

/*
 * If finder->use_syscalls is set and @category:@event is the tracepoint of an individual system
 * call, changes the kind of @point to POINT_SYSCALL. For scopes with points of this kind, pstat
 * attaches its BPF programs to perf events at raw_syscalls, where the kernel never preempts them
 * (see scope__programs_are_preempted()).
 */
static void make_syscall(const struct finder *finder, struct scope_point *point,
			 const char *category, const char *event)
{
	bool at_return = !strncmp(event, "sys_exit_", strlen("sys_exit_"));
	int nr;

	if (!finder->use_syscalls || strcmp(category, "syscalls") != 0 ||
	    (!at_return && strncmp(event, "sys_enter_", strlen("sys_enter_")) != 0))
		return;
	nr = scope_syscall__of_function(event + strlen(at_return ? "sys_exit_" : "sys_enter_"));
	if (nr < 0)
		return;
	point->kind = POINT_SYSCALL;
	point->syscall = nr;
	point->at_return = at_return;
}

/*
 * Adds the tracepoint @category:@event. If tracefs has no such tracepoint, does nothing and returns
 * 0.
 */
static int add_event(const struct finder *finder, const char *category, const char *event)
{
	struct scope_point point = { .kind = POINT_TP, .file = -1, .syscall = -1 };
	char path[2 * NAME_MAX + 32];
	int err;

	snprintf(path, sizeof(path), "events/%s/%s/id", category, event);
	err = sysfs__read_u64(finder->search->env->roots->tracefs, path, &point.tp_id);
	if (err == -ENOENT || err == -ENOTDIR)
		return 0;
	if (err)
		return scope_search__refuse(finder->search, finder->spec->name.column, err,
					    "%s/%s cannot be read (%s): run pstat as root",
					    finder->search->env->roots->tracefs, path,
					    strerror(-err));
	make_syscall(finder, &point, category, event);
	point.category = strdup(category);
	point.event = strdup(event);
	if (point.category && point.event && asprintf(&point.name, "%s:%s", category, event) < 0)
		point.name = NULL;
	return scope_points__add(finder->points, &point);
}

static int add_events(const struct finder *finder, const char *category)
{
	char path[NAME_MAX + 16];
	struct dir_names dir;
	int err;

	snprintf(path, sizeof(path), "events/%s", category);
	err = dir_names__read(&dir, finder->search->env->roots->tracefs, path);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (int i = 0; i < dir.nr && !err; i++)
		if (scope_word__matches(&finder->spec->name, dir.names[i]))
			err = add_event(finder, category, dir.names[i]);
	dir_names__free(&dir);
	return err;
}

static void suggest(const struct finder *finder, const char *path, const char *wanted)
{
	struct near_names near = { 0 };
	struct dir_names dir;

	if (dir_names__read(&dir, finder->search->env->roots->tracefs, path))
		return;
	for (int i = 0; i < dir.nr; i++)
		near_names__offer(&near, wanted, dir.names[i]);
	for (int i = 0; i < near.nr; i++)
		strbuf__addf(finder->search->why, "%s'%s'",
			     i ? ", " : "\nsimilar names: ", near.names[i]);
	near_names__free(&near);
	dir_names__free(&dir);
}

static int refuse_unknown(const struct finder *finder, const struct dir_names *categories)
{
	const struct point_spec *spec = finder->spec;
	char path[PATH_MAX];

	for (int i = 0; i < categories->nr; i++) {
		if (strcmp(categories->names[i], spec->group.text) != 0)
			continue;
		scope_search__refuse(finder->search, spec->name.column, -ENOENT,
				     "category '%s' has no tracepoint '%s'", spec->group.text,
				     spec->name.text);
		snprintf(path, sizeof(path), "events/%s", spec->group.text);
		suggest(finder, path, spec->name.text);
		return -ENOENT;
	}
	scope_search__refuse(finder->search, spec->group.column, -ENOENT,
			     "there is no tracepoint category '%s'", spec->group.text);
	suggest(finder, "events", spec->group.text);
	return -ENOENT;
}

int scope_tp__find(const struct scope_search *search, const struct point_spec *spec,
		   struct scope_points *points)
{
	const struct finder finder = {
		.search = search,
		.spec = spec,
		.points = points,
		.first = points->nr,
		.use_syscalls = scope_word__matches(&spec->group, "syscalls") &&
				scope__programs_are_preempted(search->env->roots),
	};
	struct dir_names categories;
	int err = dir_names__read(&categories, search->env->roots->tracefs, "events");

	if (err == -ENOMEM)
		return err;
	if (err)
		return scope_search__refuse(search, spec->group.column, err,
					    "tracepoints cannot be read in %s (%s): run pstat as "
					    "root, with tracefs mounted",
					    search->env->roots->tracefs, strerror(-err));
	for (int i = 0; i < categories.nr && !err; i++)
		if (scope_word__matches(&spec->group, categories.names[i]))
			err = add_events(&finder, categories.names[i]);
	if (!err && points->nr == finder.first)
		err = refuse_unknown(&finder, &categories);
	dir_names__free(&categories);
	return err;
}
