// SPDX-License-Identifier: GPL-2.0-only
/* Finds functions of the kernel: func:FUNCTION, func:MODULE:FUNCTION. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/interrupt.h"
#include "util/base/near-names.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/machine/scope/scope-search.h"

/* A line of one of the files below. */
struct line {
	uint64_t address; /* 0: unknown */
	char type;	  /* the type in kallsyms; otherwise 't' */
	const char *name;
	const char *module; /* NULL: the kernel */
};

/* The maximum distance in bytes of ftrace's call from the beginning of its function. */
#define CALL_OFFSET_MOST 16

struct finder {
	const struct scope_search *search;
	const struct point_spec *spec;
	struct scope_points *points;
	int first; /* index of the first new point */
	bool is_glob;
	struct near_names near;
	bool is_seen;	  /* kallsyms contains the function */
	uint64_t seen_at; /* its address; 0: unknown */
	char *other_name; /* with which ftrace lists this address; NULL: it does not */
};

/*
 * Parses "[ADDRESS [TYPE]] NAME [[MODULE]]". Returns false if it is malformed. @line is changed.
 */
static bool parse_line(char *text, bool has_address, bool has_type, struct line *line)
{
	char *module;

	*line = (struct line){ .type = 't' };
	text[strcspn(text, "\n")] = '\0';
	if (has_address) {
		line->address = strtoull(text, &text, 16);
		text += strspn(text, " ");
	}
	if (has_type) {
		line->type = *text;
		text += *text ? 1 : 0;
		text += strspn(text, " ");
	}
	line->name = text;
	text += strcspn(text, " \t");
	module = strchr(text, '[');
	if (module) {
		line->module = module + 1;
		module[strcspn(module, "]")] = '\0';
	}
	*text = '\0';
	return *line->name;
}

/* Calls @each for each line of a file that has one function per line. Returns 0 or -errno. */
static int read_lines(const char *root, const char *name, bool has_address, bool has_type,
		      int (*each)(const struct line *line, void *arg), void *arg)
{
	char path[PATH_MAX], *text = NULL;
	size_t room = 0, nr = 0;
	struct line line;
	int err = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!err && getline(&text, &room, file) > 0) {
		if (!(nr++ % 4096) && interrupt__is_due())
			err = -EINTR;
		else if (parse_line(text, has_address, has_type, &line))
			err = each(&line, arg);
	}
	if (!err && ferror(file))
		err = -EIO;
	free(text);
	fclose(file);
	return err;
}

static bool is_module(const struct finder *finder, const struct line *line)
{
	const struct scope_word *group = &finder->spec->group;

	if (!group->pattern)
		return true;
	return scope_word__matches(group, line->module ?: "kernel");
}

/* Code that the kernel has generated, such as BPF programs, cannot be probed. */
static bool is_generated(const struct line *line)
{
	return line->module && (!strcmp(line->module, "bpf") || !strncmp(line->module, "__", 2));
}

static int add_line(const struct line *line, void *arg)
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

static int see_line(const struct line *line, void *arg)
{
	struct finder *finder = arg;

	if (strcmp(line->name, finder->spec->name.text) != 0)
		return 0;
	finder->is_seen = true;
	finder->seen_at = line->address;
	return 0;
}

/*
 * Reads a list of the functions. The list with addresses exists since Linux 6.5. A locked-down
 * kernel refuses both lists, and a kernel without ftrace has neither. In these cases, the names in
 * kallsyms are used.
 */
static int read_functions(struct finder *finder)
{
	const struct sysroots *roots = finder->search->env->roots;
	int err = read_lines(roots->tracefs, "available_filter_functions_addrs", true, false,
			     add_line, finder);

	if (err == -ENOENT)
		err = read_lines(roots->tracefs, "available_filter_functions", false, false,
				 add_line, finder);
	if (err == -ENOENT || err == -EPERM || err == -EACCES)
		err = read_lines(roots->procfs, "kallsyms", true, true, add_line, finder);
	return err;
}

/* A function can have several names, of which ftrace lists only one. */
static int find_other_name(const struct line *line, void *arg)
{
	struct finder *finder = arg;

	if (!finder->seen_at || line->address < finder->seen_at ||
	    line->address - finder->seen_at > CALL_OFFSET_MOST || finder->other_name)
		return 0;
	finder->other_name = strdup(line->name);
	return finder->other_name ? 0 : -ENOMEM;
}

/* Returns the name of the system call that the function executes, or NULL. */
static const char *syscall_of(const char *name)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "__do_sys_",
						"__se_sys_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return NULL;
}

/* The kernel has the function, but ftrace does not list its name. */
static int refuse_unlisted(struct finder *finder)
{
	const struct scope_search *search = finder->search;
	const struct scope_word *name = &finder->spec->name;
	const char *syscall = syscall_of(name->text);
	int err = read_lines(search->env->roots->tracefs, "available_filter_functions_addrs", true,
			     false, find_other_name, finder);

	if (err == -EINTR || err == -ENOMEM)
		return err;
	if (finder->other_name)
		scope_search__refuse(search, name->column, -EOPNOTSUPP,
				     "the kernel permits probes at this function only with its "
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
	err = read_lines(search->env->roots->procfs, "kallsyms", true, true, see_line, finder);
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

static int by_name(const void *a, const void *b)
{
	const struct scope_point *x = a, *y = b;

	return strcmp(x->name, y->name) ?: (x->address > y->address) - (x->address < y->address);
}

/* If several points have the same name, compares their addresses. */
static void remove_doubles(struct scope_points *points, int first)
{
	int kept = first;

	if (points->nr == first)
		return;
	qsort(points->points + first, (size_t)(points->nr - first), sizeof(*points->points),
	      by_name);
	for (int i = first; i < points->nr; i++) {
		struct scope_point *point = &points->points[i];

		if (kept > first && !by_name(point, &points->points[kept - 1])) {
			free(point->name);
			free(point->func);
			free(point->module);
		} else {
			points->points[kept++] = *point;
		}
	}
	points->nr = kept;
}

struct entries {
	struct scope_point **points; /* sorted by the address of ftrace's call */
	uint64_t *calls;
	int nr;
};

static int by_address(const void *a, const void *b)
{
	const struct scope_point *const *x = a, *const *y = b;

	return ((*x)->address > (*y)->address) - ((*x)->address < (*y)->address);
}

/* Sets the address of the point whose call of ftrace is in the function of @line. */
static int set_entry(const struct line *line, void *arg)
{
	const struct entries *entries = arg;
	int low = 0, high = entries->nr;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (entries->calls[middle] < line->address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < entries->nr && entries->calls[low] - line->address <= CALL_OFFSET_MOST; low++)
		if (!strcmp(entries->points[low]->func, line->name))
			entries->points[low]->address = line->address;
	return 0;
}

/*
 * Replaces the address of ftrace's call in each function, which the list of ftrace has, by the
 * address at which the function begins. The kernel looks for the cookie of a probe by the address
 * of the beginning (kernel/trace/bpf_trace.c, bpf_kprobe_multi_cookie), so with the address of the
 * call, all probes of a link would have the cookie 0. This concerns x86-64 with
 * CONFIG_X86_KERNEL_IBT, and arm64. If the kernel hides the addresses, nothing is replaced.
 */
static int find_entries(const struct finder *finder)
{
	struct scope_point *first = finder->points->points + finder->first;
	struct entries entries = { .nr = finder->points->nr - finder->first };
	int err = 0;

	if (!entries.nr || !first->address)
		return 0;
	entries.points = calloc((size_t)entries.nr, sizeof(struct scope_point *));
	entries.calls = calloc((size_t)entries.nr, sizeof(*entries.calls));
	if (!entries.points || !entries.calls)
		err = -ENOMEM;
	for (int i = 0; !err && i < entries.nr; i++)
		entries.points[i] = &first[i];
	if (!err)
		qsort(entries.points, (size_t)entries.nr, sizeof(*entries.points), by_address);
	for (int i = 0; !err && i < entries.nr; i++)
		entries.calls[i] = entries.points[i]->address;
	err = err   ?:
		      read_lines(finder->search->env->roots->procfs, "kallsyms", true, true,
				 set_entry, &entries);
	free(entries.points);
	free(entries.calls);
	return err == -EINTR || err == -ENOMEM ? err : 0;
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
	remove_doubles(points, finder.first);
	err = err ?: find_entries(&finder);
	near_names__free(&finder.near);
	free(finder.other_name);
	return err;
}
