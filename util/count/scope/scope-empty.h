/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of pstat itself at which the cost of probes in programs is measured. */
#ifndef PSTAT_COUNT_SCOPE_EMPTY_H
#define PSTAT_COUNT_SCOPE_EMPTY_H

#include <linux/types.h>
#include "bpf_skel/scope.h"

struct scope_list;

struct scope_empty {
	void (*alone)(void); /* does nothing; NULL: unknown architecture */
	void (*outer)(void); /* calls `alone` */
	/* the second points; NULL: the runs end when the functions return */
	void (*alone_end)(void), (*outer_end)(void);
};

/*
 * Returns the pair of functions for measuring the cost of @class: SCOPE_CLASS_USER or
 * SCOPE_CLASS_POINT. The cost of a probe depends on how the kernel executes the instruction under
 * the probe. The kernel executes the first instructions of the pair in the same way as the
 * instructions at most points in @list at which runs of @class begin.
 */
struct scope_empty scope_empty__for(const struct scope_list *list, enum scope_class class);

#endif
