/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in which the kernel lists its functions. */
#ifndef PSTAT_MACHINE_SCOPE_KERNEL_LISTS_H
#define PSTAT_MACHINE_SCOPE_KERNEL_LISTS_H

#include <stdbool.h>
#include <stdint.h>

struct scope_search;
struct sysroots;

enum kernel_list {
	KERNEL_TRACED, /* the functions that ftrace knows: available_filter_functions */
	KERNEL_CALLS, /* these functions, with the addresses of their calls to ftrace (Linux 6.5) */
	KERNEL_SYMBOLS, /* all symbols with their addresses: kallsyms */
};

struct kernel_list_line {
	uint64_t address; /* 0: unknown */
	char type;	  /* the type in kallsyms; otherwise 't' */
	const char *name;
	const char *module; /* NULL: the kernel */
};

/*
 * Calls @each for each line of a list until @each returns an error. The text of KERNEL_TRACED is
 * kept in the list of scopes. Returns 0 or -errno.
 */
int scope_kernel_lists__each(const struct scope_search *search, enum kernel_list which,
			     int (*each)(const struct kernel_list_line *symbol, void *arg),
			     void *arg);

/*
 * Returns whether each of the @nr names belongs to a single function of the kernel, and this
 * function is global. Names may be repeated, and functions of modules are ignored. Returns false if
 * kallsyms cannot be read.
 */
bool scope_kernel_lists__are_global(const struct sysroots *roots, const char *const *names, int nr);

#endif
