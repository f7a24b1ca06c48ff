/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of pstat itself. To measure what a probe in a user-space program costs, pstat attaches
 * probes to these functions and calls them.
 */
#ifndef PSTAT_COUNT_SCOPE_EMPTY_H
#define PSTAT_COUNT_SCOPE_EMPTY_H

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct scope_list;

struct scope_empty {
	void (*alone)(void); /* does nothing; NULL: not supported on this architecture */
	void (*outer)(void); /* calls `alone` */
	/*
	 * the points in `alone` and `outer` at which runs end; NULL: runs end at the returns of
	 * `alone` and `outer`
	 */
	void (*alone_end)(void), (*outer_end)(void);
};

/*
 * Returns the pair of functions for measuring the cost of @class, which must be SCOPE_CLASS_USER or
 * SCOPE_CLASS_POINT. The cost of a probe depends on how the kernel executes the instruction under
 * the probe. So this function looks at the points of the class @class at which runs of the scopes
 * in @list begin. It chooses a pair of functions whose first instructions the kernel executes in
 * the way that is most common at these points. For SCOPE_CLASS_USER, several ways share a pair: see
 * functions_for() in scope-empty.c.
 */
struct scope_empty scope_empty__for(const struct scope_list *list, enum scope_class class);

#endif
