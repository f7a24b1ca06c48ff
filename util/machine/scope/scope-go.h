/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_MACHINE_SCOPE_GO_H
#define PSTAT_MACHINE_SCOPE_GO_H

#include <stdbool.h>

struct elf_file;

/*
 * Returns whether the file contains code that was made by the Go compiler. Go moves stacks, and
 * crashes if a uretprobe has replaced a return address (golang/go#22008).
 */
bool scope_go__is(const struct elf_file *file);

#endif
