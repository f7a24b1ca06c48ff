/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions at which uprobes cannot be used, because the kernel refuses them or executes them
 * incorrectly. The kernel examines an instruction only when a process maps the file. If no process
 * maps it yet, the kernel accepts the probe. Later, it does not attach the probe, and reports no
 * error.
 */
#ifndef PSTAT_MACHINE_SCOPE_REFUSED_H
#define PSTAT_MACHINE_SCOPE_REFUSED_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;

/*
 * If uprobes cannot be used at the instruction at @offset in the file, returns its length,
 * otherwise 0. On x86-64, these are instructions with the prefix lock, cs, ds, es or ss, some
 * vector instructions, I/O, and interrupts. There are none on other machines.
 */
size_t scope_refused__length(const struct elf_file *file, uint64_t offset);

#endif
