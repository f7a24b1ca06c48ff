/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the addresses of kernel functions that have the same name as other functions. */
#ifndef PSTAT_MACHINE_SCOPE_FUNC_ADDRESSES_H
#define PSTAT_MACHINE_SCOPE_FUNC_ADDRESSES_H

#include <stdbool.h>

/* The maximum distance in bytes of a call to ftrace from the beginning of its function. */
#define CALL_OFFSET_MOST 16

struct scope_search;
struct scope_points;

/*
 * Finds the addresses of the points from index @first to the end. If @all is false, skips points
 * with unique names. The points must be sorted by scope_func_addresses__compare(). If the kernel
 * hides an address, the point keeps the address 0. Returns 0, -EINTR or -ENOMEM.
 */
int scope_func_addresses__find(const struct scope_search *search, struct scope_points *points,
			       int first, bool all);
/* Compares two points by name, module and address, for qsort(3). */
int scope_func_addresses__compare(const void *a, const void *b);

#endif
