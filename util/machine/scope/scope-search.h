/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the scope-*.c files share. These files find the points of scopes (scope.h). */
#ifndef PSTAT_MACHINE_SCOPE_SEARCH_H
#define PSTAT_MACHINE_SCOPE_SEARCH_H

#include <stdbool.h>

#include "util/machine/scope/scope-spec.h"
#include "util/machine/symbols/elf-file.h"

/* The search for the points of one specification, a value of --scope, --start or --stop. */
struct scope_search {
	struct scope_list *list; /* scope_target__open() adds files to this list */
	const struct scope_env *env;
	const struct scope_spec *spec;
	struct strbuf *why;
};

/*
 * Stores the formatted text as the reason in search->why, unless a reason is already stored. If
 * @column is not 0, the reason begins with the specification and this column. Returns @err.
 */
int scope_search__refuse(const struct scope_search *search, int column, int err, const char *fmt,
			 ...) __attribute__((format(printf, 4, 5)));

/* The points that a search has found. A zeroed struct is empty. */
struct scope_points {
	struct scope_point *points;
	int nr, room;
};

/*
 * Adds @point and takes ownership of its strings, even on error. Returns 0; -ENOMEM (also if
 * @point->name is NULL, which means that the caller ran out of memory for the name); or -E2BIG if
 * there are already SCOPES_MOST points.
 */
int scope_points__add(struct scope_points *points, const struct scope_point *point);

/* The program or library that is searched for points. */
struct scope_target {
	struct elf_file elf;
	int index;   /* index in scope_list.files */
	char *label; /* last part of the path, for messages */
};

/*
 * Finds and opens the file that @word names, and adds the file to search->list. Returns 0, or
 * -errno after storing the reason. After an error, do not call scope_target__close().
 */
int scope_target__open(struct scope_target *target, const struct scope_search *search,
		       const struct scope_word *word);
void scope_target__close(struct scope_target *target);

/*
 * Each of these functions finds the points of one kind, and adds them to @points. @needs_return
 * says whether pstat will also probe the return of each function or system call. Returns 0 after
 * adding at least one point, or -errno after storing the reason.
 */
int scope_uprobe__find(const struct scope_search *search, const struct point_spec *spec,
		       bool needs_return, struct scope_points *points);
int scope_usdt__find(const struct scope_search *search, const struct point_spec *spec,
		     struct scope_points *points);
int scope_func__find(const struct scope_search *search, const struct point_spec *spec,
		     struct scope_points *points);
int scope_tp__find(const struct scope_search *search, const struct point_spec *spec,
		   struct scope_points *points);
int scope_syscall__find(const struct scope_search *search, const struct point_spec *spec,
			bool needs_return, struct scope_points *points);
/*
 * Returns the number of the system call that the kernel defines as SYSCALL_DEFINEx(@function, …),
 * or -ENOENT if there is none. For stat, for example, @function is "newstat". The names of the
 * system call's tracepoints also contain @function (sys_enter_newstat).
 */
int scope_syscall__of_function(const char *function);

#endif
