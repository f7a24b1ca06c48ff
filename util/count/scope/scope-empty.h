/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of pstat itself at which the cost of probes in programs is measured. */
#ifndef PSTAT_COUNT_SCOPE_EMPTY_H
#define PSTAT_COUNT_SCOPE_EMPTY_H

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct scope_list;

struct scope_empty {
	void (*alone)(void); /* does nothing; NULL: unknown machine */
	void (*outer)(void); /* calls `alone` */
	/* the second points; NULL: the runs end when the functions return */
	void (*alone_end)(void), (*outer_end)(void);
};

/*
 * Returns the pair of functions that suits @list. The cost of a probe depends on how the kernel
 * executes the instruction at the point. It executes the first instruction of these functions like
 * those at most points of @class at which runs begin: functions (SCOPE_CLASS_USER), or the first
 * ones of two points (SCOPE_CLASS_POINT).
 */
struct scope_empty scope_empty__for(const struct scope_list *list, enum scope_class class);

#endif
