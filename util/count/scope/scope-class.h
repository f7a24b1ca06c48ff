/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes of probes (enum scope_class) that scopes need. Each class has its own cost. */
#ifndef PSTAT_COUNT_SCOPE_CLASS_H
#define PSTAT_COUNT_SCOPE_CLASS_H

#include <stdbool.h>

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct scope;
struct scope_list;
struct scope_point;

/* A bit mask of the classes of points in user-space programs. */
#define SCOPE_CLASSES_USER (1U << SCOPE_CLASS_USER | 1U << SCOPE_CLASS_POINT)
/* A bit mask of the classes of points at functions of the kernel. */
#define SCOPE_CLASSES_FUNC \
	(1U << SCOPE_CLASS_FUNC | 1U << SCOPE_CLASS_FUNC_ENTRY | 1U << SCOPE_CLASS_FUNC_RETURN)

/*
 * Returns the class that decides how @point is probed. This is SCOPE_CLASS_USER for every point in
 * a user-space program, and SCOPE_CLASS_FUNC for every point at a function of the kernel. Another
 * class can decide the cost of the point: see scope_class__kind().
 */
enum scope_class scope_class__of(const struct scope_point *point);
/*
 * Returns the kind of @scope (SCOPE_KIND()): the classes that decide the costs of its first point
 * and of its second point.
 */
unsigned int scope_class__kind(const struct scope *scope);
/*
 * Returns the classes in the kinds of all scopes in @list, as a bit mask of 1 << enum scope_class.
 */
unsigned int scope_class__all(const struct scope_list *list);
/* Returns whether the scopes in @list have different kinds. */
bool scope_class__have_several_kinds(const struct scope_list *list);
/*
 * Returns whether @list contains a scope that is not a whole system call, but whose first or second
 * point is the entry or the return of a system call.
 */
bool scope_class__have_syscall_points(const struct scope_list *list);

#endif
