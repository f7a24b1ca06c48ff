/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions at which uprobes cannot be used, because the kernel refuses them or executes them
 * incorrectly. The kernel examines an instruction only when a process maps the file. Until then, it
 * accepts a probe at any instruction. Later, it does not attach the probe, and reports no error.
 */
#ifndef PSTAT_MACHINE_SCOPE_REFUSED_H
#define PSTAT_MACHINE_SCOPE_REFUSED_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;

/*
 * Returns the length of the instruction at @offset in the file if uprobes cannot be used there,
 * otherwise 0. On x86-64, these are instructions with the prefix lock, cs, ds, es or ss, some
 * vector instructions, I/O, and interrupts. On other machines, returns 0.
 */
size_t scope_refused__length(const struct elf_file *file, uint64_t offset);

#endif
