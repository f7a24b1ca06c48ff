/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of pstat itself at which the cost of probes in programs is measured. */
#ifndef PSTAT_COUNT_SCOPE_EMPTY_H
#define PSTAT_COUNT_SCOPE_EMPTY_H

struct scope_list;

struct scope_empty {
	void (*alone)(void); /* does nothing; NULL: unknown machine */
	void (*outer)(void); /* calls `alone` */
};

/*
 * Returns the functions whose first instruction costs a probe as much as that of most functions and
 * points in programs at which runs of @list begin.
 */
struct scope_empty scope_empty__for(const struct scope_list *list);

#endif
