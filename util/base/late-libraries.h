/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_LATE_LIBRARIES_H
#define PSTAT_BASE_LATE_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A function of a library, and the pointer in which late_libraries__look_up() stores the function's
 * address.
 */
struct late_function {
	const char *name; /* in the library */
	size_t at;	  /* offset of the pointer in the caller's struct of pointers */
};

/*
 * Stores the addresses of @nr functions in the struct at @table. @library is a handle from
 * dlopen(). Returns false if a function is missing; dlerror() then names the function.
 */
bool late_libraries__look_up(void *library, const struct late_function *functions, size_t nr,
			     void *table);

/*
 * Loads libjansson. Returns whether libjansson can be used. The first call that fails prints a
 * warning with the reason and the package to install.
 */
bool late_libraries__have_jansson(void);

#endif
