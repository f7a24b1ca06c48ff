// SPDX-License-Identifier: GPL-2.0-only
/* Finds kernel functions, specified as func:FUNCTION or func:MODULE:FUNCTION. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/near-names.h"
#include "util/base/strbuf.h"
#include "util/machine/scope/scope-func-addresses.h"
#include "util/machine/scope/scope-kernel-lists.h"
#include "util/machine/scope/scope-search.h"

struct finder {
	const struct scope_search *search;
	const struct point_spec *spec;
	struct scope_points *points;
	int first; /* index of the first point that this search adds */
	bool is_glob;
	struct near_names near;
	bool is_seen;	  /* kallsyms contains the function that the user named */
	uint64_t seen_at; /* the function's address in kallsyms; 0: unknown */
	char *other_name; /* the name that ftrace lists for the function at seen_at; NULL: none */
};

static bool is_module(const struct finder *finder, const struct kernel_list_line *line)
{
	const struct scope_word *group = &finder->spec->group;

	if (!group->pattern)
		return true;
	return scope_word__matches(group, line->module ?: "kernel");
}

/* In ftrace's list, the names of functions that the linker has removed begin with this text. */
#define REMOVED "__ftrace_invalid_address__"

/*
 * Returns whether @line describes code that the kernel has generated, or a function that the linker
 * has removed. Neither can be probed.
 */
static bool is_generated(const struct kernel_list_line *line)
{
	return (line->module &&
		(!strcmp(line->module, "bpf") || !strncmp(line->module, "__", 2))) ||
	       !strncmp(line->name, REMOVED, strlen(REMOVED));
}

static int add_line(const struct kernel_list_line *line, void *arg)
{
	struct finder *finder = arg;
	struct scope_point point = { .kind = POINT_FUNC,
				     .file = -1,
				     .syscall = -1,
				     .at_return = finder->spec->place == PLACE_RETURN,
				     .address = line->address };

	if ((line->type != 't' && line->type != 'T') || is_generated(line) ||
	    !is_module(finder, line))
		return 0;
	if (!scope_word__matches(&finder->spec->name, line->name)) {
		if (!finder->is_glob)
			near_names__offer(&finder->near, finder->spec->name.text, line->name);
		return 0;
	}
	point.func = strdup(line->name);
	point.module = line->module ? strdup(line->module) : NULL;
	if (asprintf(&point.name, "%s%s", line->name, point.at_return ? "%return" : "") < 0)
		point.name = NULL;
	if (!point.func || (line->module && !point.module)) {
		free(point.name);
		point.name = NULL;
	}
	return scope_points__add(finder->points, &point);
}

static int see_line(const struct kernel_list_line *line, void *arg)
{
	struct finder *finder = arg;

	if (strcmp(line->name, finder->spec->name.text) != 0)
		return 0;
	finder->is_seen = true;
	finder->seen_at = line->address;
	return 0;
}

/*
 * Adds a point for each matching function in ftrace's list. If pstat is not permitted to read this
 * list (for example, because the kernel is locked down), or if the list does not exist, reads
 * kallsyms instead.
 */
static int read_functions(struct finder *finder)
{
	int err = scope_kernel_lists__each(finder->search, KERNEL_TRACED, add_line, finder);

	if (err == -ENOENT || err == -EPERM || err == -EACCES)
		err = scope_kernel_lists__each(finder->search, KERNEL_SYMBOLS, add_line, finder);
	return err;
}

/*
 * If the call to ftrace at line->address is in the function at finder->seen_at, copies line->name
 * to finder->other_name. This name can differ from the name that the user wrote: a function can
 * have several names, but ftrace's list contains only one of them.
 */
static int find_other_name(const struct kernel_list_line *line, void *arg)
{
	struct finder *finder = arg;

	if (!finder->seen_at || line->address < finder->seen_at ||
	    line->address - finder->seen_at > CALL_OFFSET_MOST || finder->other_name)
		return 0;
	finder->other_name = strdup(line->name);
	return finder->other_name ? 0 : -ENOMEM;
}

/* Returns the name of the system call that the function @name implements, or NULL. */
static const char *syscall_of(const char *name)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "__do_sys_",
						"__se_sys_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return NULL;
}

/* Refuses a kernel function that is in kallsyms, but not in ftrace's list. Returns -errno. */
static int refuse_unlisted(struct finder *finder)
{
	const struct scope_search *search = finder->search;
	const struct scope_word *name = &finder->spec->name;
	const char *syscall = syscall_of(name->text);
	int err = scope_kernel_lists__each(search, KERNEL_CALLS, find_other_name, finder);

	if (err == -EINTR || err == -ENOMEM)
		return err;
	if (finder->other_name)
		scope_search__refuse(search, name->column, -EOPNOTSUPP,
				     "the kernel permits probes at this function only under its "
				     "other name: func:%s",
				     finder->other_name);
	else
		scope_search__refuse(search, name->column, -EOPNOTSUPP,
				     "the kernel does not permit probes at '%s': it is marked as "
				     "notrace, because tracing itself may need it, or it has no "
				     "room for a probe",
				     name->text);
	if (syscall)
		strbuf__addf(search->why, "\nto count the whole system call: syscall:%s", syscall);
	return -EOPNOTSUPP;
}

static int refuse_unknown(struct finder *finder)
{
	const struct scope_search *search = finder->search;
	const struct point_spec *spec = finder->spec;
	int err;

	if (finder->is_glob)
		return scope_search__refuse(search, spec->name.column, -ENOENT,
					    "no function of %s that can be probed matches '%s'",
					    spec->group.text ?: "the kernel", spec->name.text);
	err = scope_kernel_lists__each(search, KERNEL_SYMBOLS, see_line, finder);
	if (err == -EINTR)
		return err;
	if (finder->is_seen && !spec->group.pattern)
		return refuse_unlisted(finder);
	scope_search__refuse(search, spec->name.column, -ENOENT,
			     "%s has no function '%s', or the compiler inlined it everywhere",
			     spec->group.text ?: "the kernel", spec->name.text);
	for (int i = 0; i < finder->near.nr; i++)
		strbuf__addf(search->why, "%s'%s'",
			     i ? ", " : "\nsimilar names: ", finder->near.names[i]);
	return -ENOENT;
}

/*
 * If several points have the same name and the same address, keeps only one of them. This also
 * applies to points whose address is 0 (unknown), because the kernel would attach all of them to
 * the first function with this name.
 */
static void remove_doubles(struct scope_points *points, int first)
{
	int kept = first;

	for (int i = first; i < points->nr; i++) {
		struct scope_point *point = &points->points[i];
		const struct scope_point *last = kept > first ? &points->points[kept - 1] : NULL;

		if (last && point->address == last->address && !strcmp(point->func, last->func)) {
			free(point->name);
			free(point->func);
			free(point->module);
		} else {
			points->points[kept++] = *point;
		}
	}
	points->nr = kept;
}

/*
 * Finds the addresses of the points that the kernel cannot identify by name, and removes duplicate
 * points.
 */
static int tell_apart(const struct finder *finder)
{
	struct scope_points *points = finder->points;
	size_t nr = (size_t)(points->nr - finder->first);
	int err;

	if (!nr)
		return 0;
	qsort(points->points + finder->first, nr, sizeof(*points->points),
	      scope_func_addresses__compare);
	/*
	 * The kernel accepts no module name for a probe. So if the user named a module, all points
	 * need addresses.
	 */
	err = scope_func_addresses__find(finder->search, points, finder->first,
					 finder->spec->group.pattern);
	qsort(points->points + finder->first, nr, sizeof(*points->points),
	      scope_func_addresses__compare);
	remove_doubles(points, finder->first);
	return err;
}

int scope_func__find(const struct scope_search *search, const struct point_spec *spec,
		     struct scope_points *points)
{
	struct finder finder = { .search = search,
				 .spec = spec,
				 .points = points,
				 .first = points->nr,
				 .is_glob = scope_word__is_glob(&spec->name) };
	int err = read_functions(&finder);

	if (!err && points->nr == finder.first)
		err = refuse_unknown(&finder);
	else if (err && err != -EINTR && err != -ENOMEM && err != -E2BIG)
		scope_search__refuse(search, spec->name.column, err,
				     "the list of the kernel's functions cannot be read (%s): run "
				     "pstat as root, with tracefs mounted",
				     strerror(-err));
	err = err ?: tell_apart(&finder);
	near_names__free(&finder.near);
	free(finder.other_name);
	return err;
}
