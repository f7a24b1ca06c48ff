/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_MACHINE_SCOPE_GO_H
#define PSTAT_MACHINE_SCOPE_GO_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/*
 * Returns whether the file contains code that the Go compiler has generated. Go's runtime moves
 * stacks in memory, and crashes if a return probe has replaced a return address (golang/go#22008).
 */
bool scope_go__is(const struct elf_file *file);

/*
 * Calls @each for each function in the table that Go's runtime uses to print stacks. Stripped
 * programs have this table, too. @name is valid until the file is closed, and is never empty.
 * Returns 0; -ENODATA if there is no such table, if the table is damaged or too large, if Go 1.17
 * or earlier wrote it, or if the file does not contain the address to which the table's addresses
 * are relative (for example, because the loader sets it); -E2BIG if there are too many functions;
 * -EINTR if a signal asks pstat to end; or the result of @each if it is not 0.
 */
int scope_go__each_function(const struct elf_file *file,
			    int (*each)(const char *name, uint64_t address, uint64_t size,
					void *arg),
			    void *arg);

#endif
