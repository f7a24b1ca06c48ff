// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of scopes. scope-spec.c parses the user's text. scope-uprobe.c, scope-usdt.c,
 * scope-func.c, scope-tp.c and scope-syscall.c find the points.
 */
#include "util/machine/scope/scope.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/strbuf.h"
#include "util/machine/scope/scope-search.h"

/* ---- points ---- */

static void free_point(struct scope_point *point)
{
	free(point->name);
	free(point->func);
	free(point->module);
	free(point->category);
	free(point->event);
}

void scope_points__free(struct scope_point *points, int nr)
{
	for (int i = 0; i < nr; i++)
		free_point(&points[i]);
	free(points);
}

int scope_points__add(struct scope_points *points, const struct scope_point *point)
{
	struct scope_point added = *point;
	int err = !point->name ? -ENOMEM : points->nr == SCOPES_MOST ? -E2BIG : 0;

	if (!err && points->nr == points->room) {
		int room = points->room ? 2 * points->room : 4;
		struct scope_point *more =
			reallocarray(points->points, (size_t)room, sizeof(*more));

		if (more) {
			points->points = more;
			points->room = room;
		}
		err = more ? 0 : -ENOMEM;
	}
	if (err)
		free_point(&added);
	else
		points->points[points->nr++] = added;
	return err;
}

static char *copy_text(const char *text, bool *failed)
{
	char *copy = text ? strdup(text) : NULL;

	*failed |= text && !copy;
	return copy;
}

/* Copies the point and its strings. Returns 0 or -ENOMEM. */
static int copy_point(struct scope_point *to, const struct scope_point *from)
{
	bool failed = false;

	*to = *from;
	to->name = copy_text(from->name, &failed);
	to->func = copy_text(from->func, &failed);
	to->module = copy_text(from->module, &failed);
	to->category = copy_text(from->category, &failed);
	to->event = copy_text(from->event, &failed);
	if (failed)
		free_point(to);
	return failed ? -ENOMEM : 0;
}

int scope_search__refuse(const struct scope_search *search, int column, int err, const char *fmt,
			 ...)
{
	va_list ap;

	if (search->why->len)
		return err;
	if (column)
		scope_spec__add_place(search->spec, column, search->why);
	va_start(ap, fmt);
	strbuf__vaddf(search->why, fmt, ap);
	va_end(ap);
	return err;
}

static int find_points(const struct scope_search *search, const struct point_spec *spec,
		       bool needs_return, struct scope_points *points)
{
	int err = -EINVAL;

	switch (spec->kind) {
	case POINT_UPROBE:
		err = scope_uprobe__find(search, spec, needs_return, points);
		break;
	case POINT_USDT:
		err = scope_usdt__find(search, spec, points);
		break;
	case POINT_FUNC:
		err = scope_func__find(search, spec, points);
		break;
	case POINT_TP:
		err = scope_tp__find(search, spec, points);
		break;
	case POINT_SYSCALL:
		err = scope_syscall__find(search, spec, needs_return, points);
		break;
	}
	if (err == -E2BIG)
		scope_search__refuse(search, spec->name.column, err,
				     "more than %d points match: write a narrower glob",
				     SCOPES_MOST);
	return err;
}

/* ---- scopes ---- */

static void free_scope(struct scope *scope)
{
	free(scope->name);
	scope_points__free(scope->begin, scope->nr_begin);
	scope_points__free(scope->end, scope->nr_end);
}

/* Adds @scope to the list. Takes ownership of the strings and points of @scope, even on error. */
static int add_scope(struct scope_list *list, struct scope *scope)
{
	struct scope *more = NULL;

	if (scope->name)
		more = reallocarray(list->scopes, (size_t)list->nr + 1, sizeof(*more));
	if (!more) {
		free_scope(scope);
		return -ENOMEM;
	}
	list->scopes = more;
	scope->selector = list->nr_selectors;
	more[list->nr++] = *scope;
	return 0;
}

/*
 * Adds a scope that begins at @entry, the entry of a function or system call, and ends when the
 * function or system call returns. Takes ownership of @entry's strings, even on error.
 */
static int add_function(struct scope_list *list, struct scope_point *entry)
{
	struct scope scope = { .name = strdup(entry->name),
			       .begin = malloc(sizeof(*scope.begin)),
			       .end = malloc(sizeof(*scope.end)) };

	if (scope.begin)
		scope.begin[scope.nr_begin++] = *entry;
	else
		free_point(entry);
	if (scope.begin && scope.end && !copy_point(scope.end, scope.begin)) {
		scope.end->at_return = true;
		scope.nr_end = 1;
		return add_scope(list, &scope);
	}
	free_scope(&scope);
	return -ENOMEM;
}

static int add_functions(const struct scope_search *search)
{
	struct scope_points points = { 0 };
	int err = find_points(search, &search->spec->point[0], true, &points), i = 0;

	if (!err && search->list->nr + points.nr > SCOPES_MOST)
		err = scope_search__refuse(search, search->spec->point[0].name.column, -E2BIG,
					   "more than %d scopes: write narrower globs",
					   SCOPES_MOST);
	for (; i < points.nr && !err; i++)
		err = add_function(search->list, &points.points[i]);
	for (; i < points.nr; i++)
		free_point(&points.points[i]);
	free(points.points);
	return err;
}

/* Returns whether all points have the same name, as the places of a USDT point do. */
static bool have_one_name(const struct scope_points *points)
{
	for (int i = 1; i < points->nr; i++)
		if (strcmp(points->points[i].name, points->points[0].name) != 0)
			return false;
	return true;
}

/*
 * Returns the name of the scope from @begin to @end, such as "FILE:a..b". The name of the second
 * point omits the longest common prefix that ends with a colon, but does not split "::". If the
 * points in @begin or in @end do not all have the same name, returns the user's text instead.
 */
static char *name_pair(const struct scope_spec *spec, const struct scope_points *begin,
		       const struct scope_points *end)
{
	const char *first = begin->points[0].name, *second = end->points[0].name;
	struct strbuf name = STRBUF_INIT;
	size_t common = 0;

	if (!have_one_name(begin) || !have_one_name(end))
		return strdup(spec->text);
	for (size_t i = 0; first[i] && first[i] == second[i]; i++)
		if (first[i] == ':' && first[i + 1] != ':' && second[i + 1] != ':')
			common = i + 1;
	strbuf__adds(&name, first);
	strbuf__adds(&name, "..");
	strbuf__adds(&name, second + common);
	return strbuf__detach(&name);
}

static int add_pair(const struct scope_search *search)
{
	struct scope_points begin = { 0 }, end = { 0 };
	int err = find_points(search, &search->spec->point[0], false, &begin);
	struct scope scope;

	err = err ?: find_points(search, &search->spec->point[1], false, &end);
	if (!err && search->list->nr == SCOPES_MOST)
		err = scope_search__refuse(search, 1, -E2BIG, "more than %d scopes", SCOPES_MOST);
	if (err) {
		scope_points__free(begin.points, begin.nr);
		scope_points__free(end.points, end.nr);
		return err;
	}
	scope = (struct scope){ .name = name_pair(search->spec, &begin, &end),
				.begin = begin.points,
				.nr_begin = begin.nr,
				.end = end.points,
				.nr_end = end.nr };
	return add_scope(search->list, &scope);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Returns whether both points are at the same function or system call. */
static bool same_place(const struct scope_point *a, const struct scope_point *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case POINT_UPROBE:
	case POINT_USDT:
		return a->file == b->file && a->offset == b->offset;
	case POINT_FUNC:
		return a->address == b->address && same_text(a->func, b->func) &&
		       same_text(a->module, b->module);
	case POINT_SYSCALL:
		return a->syscall == b->syscall;
	case POINT_TP:
		break;
	}
	return false;
}

bool scope__is_function(const struct scope *scope)
{
	return scope->nr_begin == 1 && scope->nr_end == 1 && !scope->begin->at_return &&
	       scope->end->at_return && same_place(scope->begin, scope->end);
}

/* ---- the list ---- */

static void free_file(struct scope_file *file)
{
	free(file->path);
	close(file->fd);
}

/* Moves the user's text from @spec to the list. */
static int keep_text(struct scope_list *list, struct scope_spec *spec)
{
	size_t nr = (size_t)list->nr_selectors;
	char **more = reallocarray(list->texts, nr + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	list->texts = more;
	more[list->nr_selectors++] = spec->text;
	spec->text = NULL;
	return 0;
}

/* Keeps only the first @nr scopes and the first @nr_files files. */
static void take_back(struct scope_list *list, int nr, int nr_files)
{
	while (list->nr > nr)
		free_scope(&list->scopes[--list->nr]);
	while (list->nr_files > nr_files)
		free_file(&list->files[--list->nr_files]);
}

int scope_list__add(struct scope_list *list, const struct scope_env *env, const char *text,
		    struct strbuf *why)
{
	struct scope_spec spec;
	const struct scope_search search = { list, env, &spec, why };
	int err = scope_spec__parse(&spec, text, why);
	int nr = list->nr, nr_files = list->nr_files;

	if (!err)
		err = spec.nr == 2 ? add_pair(&search) : add_functions(&search);
	err = err ?: keep_text(list, &spec);
	if (err)
		take_back(list, nr, nr_files);
	scope_spec__free(&spec);
	return err;
}

int scope_list__find_point(struct scope_list *list, const struct scope_env *env, const char *text,
			   struct scope_point **points, int *nr, struct strbuf *why)
{
	struct scope_spec spec;
	const struct scope_search search = { list, env, &spec, why };
	struct scope_points found = { 0 };
	int err = scope_spec__parse_point(&spec, text, why);
	int nr_files = list->nr_files;

	err = err ?: find_points(&search, &spec.point[0], false, &found);
	if (err) {
		scope_points__free(found.points, found.nr);
		found = (struct scope_points){ 0 };
		take_back(list, list->nr, nr_files);
	}
	*points = found.points;
	*nr = found.nr;
	scope_spec__free(&spec);
	return err;
}

void scope_list__free(struct scope_list *list)
{
	take_back(list, 0, 0);
	for (int i = 0; i < list->nr_selectors; i++)
		free(list->texts[i]);
	free(list->texts);
	free(list->scopes);
	free(list->files);
	free(list->kernel_functions);
	*list = (struct scope_list)SCOPE_LIST_INIT;
}
