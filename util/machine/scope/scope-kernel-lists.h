/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the files in which the kernel lists its functions. */
#ifndef PSTAT_MACHINE_SCOPE_KERNEL_LISTS_H
#define PSTAT_MACHINE_SCOPE_KERNEL_LISTS_H

#include <stdbool.h>
#include <stdint.h>

struct scope_search;
struct sysroots;

enum kernel_list {
	KERNEL_TRACED, /* available_filter_functions: the names of functions that call ftrace */
	/*
	 * available_filter_functions_addrs (since Linux 6.5): the same names, and the addresses of
	 * the calls to ftrace
	 */
	KERNEL_CALLS,
	KERNEL_SYMBOLS, /* kallsyms: the addresses and names of all symbols */
};

struct kernel_list_line {
	uint64_t address; /* of the symbol; KERNEL_CALLS: of the call to ftrace; 0: unknown */
	char type;	  /* KERNEL_SYMBOLS: the type of the symbol; otherwise 't' */
	const char *name;
	const char *module; /* NULL: the kernel itself */
};

/*
 * Calls @each for each line of a list until @each returns an error. Keeps the text of the list
 * KERNEL_TRACED in search->list->kernel_functions, so that pstat reads this list only once. Returns
 * 0; -EINTR if a signal asks pstat to end; another -errno if the list cannot be read; or the error
 * of @each.
 */
int scope_kernel_lists__each(const struct scope_search *search, enum kernel_list which,
			     int (*each)(const struct kernel_list_line *symbol, void *arg),
			     void *arg);

/*
 * Returns true if, for each of the @nr names, the kernel has exactly one symbol with this name, and
 * this symbol is a global function. Ignores symbols of modules. Returns false if kallsyms cannot be
 * read.
 */
bool scope_kernel_lists__are_global(const struct sysroots *roots, const char *const *names, int nr);

#endif
