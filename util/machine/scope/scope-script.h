/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_MACHINE_SCOPE_SCRIPT_H
#define PSTAT_MACHINE_SCOPE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * If the file @named (O_PATH) is a script, sets @name to its interpreter: the path in the first
 * line, or the command that env(1) executes. Returns false if the file is not a script or cannot be
 * read, or if the name is too long or not printable.
 */
bool scope_script__interpreter(int named, char *name, size_t size);

#endif
