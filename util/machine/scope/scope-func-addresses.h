/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the addresses of kernel functions, so that pstat can tell functions with the same name
 * apart.
 */
#ifndef PSTAT_MACHINE_SCOPE_FUNC_ADDRESSES_H
#define PSTAT_MACHINE_SCOPE_FUNC_ADDRESSES_H

#include <stdbool.h>

/* The maximum number of bytes from the beginning of a function to its call to ftrace. */
#define CALL_OFFSET_MOST 16

struct scope_search;
struct scope_points;

/*
 * Sets `address` of the points from index @first to the end. These points must be kernel functions,
 * sorted with scope_func_addresses__compare(). If @all is false, skips functions with unique names.
 * If the kernel hides an address, `address` stays 0. Returns 0, -EINTR if a signal asks pstat to
 * end, or -ENOMEM.
 */
int scope_func_addresses__find(const struct scope_search *search, struct scope_points *points,
			       int first, bool all);
/* Compares two points by name, module and address, for qsort(3). */
int scope_func_addresses__compare(const void *a, const void *b);

#endif
