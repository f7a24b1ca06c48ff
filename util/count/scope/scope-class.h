/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The classes of probes (enum scope_class) that scopes need. Probes of different classes have
 * different costs.
 */
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
 * Returns the class that determines how @point is probed. This is SCOPE_CLASS_USER for every point
 * in a user-space program, and SCOPE_CLASS_FUNC for every point at a function of the kernel. The
 * class that determines the cost of the point can be a different one: see scope_class__kind().
 */
enum scope_class scope_class__of(const struct scope_point *point);
/*
 * Returns the kind of @scope (SCOPE_KIND()): the class that determines the cost of its first point,
 * and the class that determines the cost of its second point.
 */
unsigned int scope_class__kind(const struct scope *scope);
/*
 * Returns a bit mask of the classes in the kinds of all scopes in @list. The bit 1 << N stands for
 * the class N of enum scope_class.
 */
unsigned int scope_class__all(const struct scope_list *list);
/* Returns whether the scopes in @list are of more than one kind. */
bool scope_class__have_several_kinds(const struct scope_list *list);
/*
 * Returns whether any scope in @list has a first or second point at a system call, but is not a
 * whole system call.
 */
bool scope_class__have_syscall_points(const struct scope_list *list);

#endif
