/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_LATE_LIBRARIES_H
#define PSTAT_BASE_LATE_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/* A member of a struct of pointers to functions. */
struct late_function {
	const char *name; /* in the library */
	size_t at;	  /* offset in the struct */
};

/*
 * Stores the addresses of the functions of @library, which dlopen() returned, in the struct at
 * @table. Returns false if a function is missing; dlerror() then names it.
 */
bool late_libraries__look_up(void *library, const struct late_function *functions, size_t nr,
			     void *table);

/*
 * Returns whether libjansson can be used, and loads it. The first call that fails warns, with the
 * reason and the package to install.
 */
bool late_libraries__have_jansson(void);

#endif
