/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes of probes that scopes need. */
#ifndef PSTAT_COUNT_SCOPE_CLASS_H
#define PSTAT_COUNT_SCOPE_CLASS_H

#include <stdbool.h>

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct scope;
struct scope_list;
struct scope_point;

/* The flags of the classes of points in programs. */
#define SCOPE_CLASSES_USER (1U << SCOPE_CLASS_USER | 1U << SCOPE_CLASS_POINT)
/* The flags of the classes of points at functions of the kernel. */
#define SCOPE_CLASSES_FUNC \
	(1U << SCOPE_CLASS_FUNC | 1U << SCOPE_CLASS_FUNC_ENTRY | 1U << SCOPE_CLASS_FUNC_RETURN)

/*
 * Returns the class that decides how the point is probed. All points in programs have
 * SCOPE_CLASS_USER, and all points at functions of the kernel have SCOPE_CLASS_FUNC.
 */
enum scope_class scope_class__of(const struct scope_point *point);
/* Returns SCOPE_KIND() of @scope: the classes that decide the cost of its two points. */
unsigned int scope_class__kind(const struct scope *scope);
/* Returns the classes of all kinds in @list, as flags 1 << enum scope_class. */
unsigned int scope_class__all(const struct scope_list *list);
/* Returns whether the scopes in @list have different kinds. */
bool scope_class__have_several_kinds(const struct scope_list *list);
/*
 * Returns whether some scope is not a whole system call, but the entry or the return of a system
 * call is one of its two points.
 */
bool scope_class__have_syscall_points(const struct scope_list *list);

#endif
