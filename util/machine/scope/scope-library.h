/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a library by its name, as the dynamic loader does (ld.so(8)). */
#ifndef PSTAT_MACHINE_SCOPE_LIBRARY_H
#define PSTAT_MACHINE_SCOPE_LIBRARY_H

#include <stdbool.h>

/* Paths of libraries, in the order in which the loader tries them. A zeroed struct is empty. */
struct library_paths {
	char **paths;
	int nr;
};

/*
 * Returns whether @file, the last part of a path, is the library @name: "libz" and "libz.so" stand
 * for "libz.so" and "libz.so.1".
 */
bool scope_library__is(const char *file, const char *name);

/*
 * Adds the libraries with the name @name: from the directories of LD_LIBRARY_PATH if @root is "",
 * then from /etc/ld.so.cache below @root (/proc/PID/root), and, if none has been found so far, from
 * the first of the loader's directories that contains one. Returns 0, even if there are none, or
 * -ENOMEM.
 */
int scope_library__find(const char *root, const char *name, struct library_paths *paths);
void library_paths__free(struct library_paths *paths);

#endif
