/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a library by its name, as the dynamic loader does (ld.so(8)). */
#ifndef PSTAT_MACHINE_SCOPE_LIBRARY_H
#define PSTAT_MACHINE_SCOPE_LIBRARY_H

#include <stdbool.h>

/*
 * Paths of libraries, in the order in which the loader would find them. A zeroed struct is empty.
 */
struct library_paths {
	char **paths;
	int nr;
};

/*
 * Returns whether @file, the last part of a path, is the name of a file of the library @name. The
 * names "libz" and "libz.so" both match the files "libz.so" and "libz.so.1".
 */
bool scope_library__is(const char *file, const char *name);

/*
 * Adds the paths of all libraries with the name @name. @root is "" or a directory such as
 * /proc/PID/root. The added paths do not include @root. First searches the directories in
 * LD_LIBRARY_PATH (only if @root is "") and the file @root/etc/ld.so.cache. If the library is not
 * found there, searches the loader's default directories below @root, and stops after the first
 * directory that contains the library. Returns 0 (even if no library is found) or -ENOMEM.
 */
int scope_library__find(const char *root, const char *name, struct library_paths *paths);
void library_paths__free(struct library_paths *paths);

#endif
