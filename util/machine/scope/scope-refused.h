/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions at which uprobes cannot be used, because the kernel refuses them or executes them
 * incorrectly. It examines an instruction only when a process maps the file. If none does, it
 * accepts the probe, and later does not attach it, without an error.
 */
#ifndef PSTAT_MACHINE_SCOPE_REFUSED_H
#define PSTAT_MACHINE_SCOPE_REFUSED_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;

/*
 * Returns the length of the instruction at @offset in the file if it is such an instruction of
 * x86-64: one with the prefix lock, cs, ds, es or ss, some vector instructions, I/O, or an
 * interrupt. Otherwise returns 0.
 */
size_t scope_refused__length(const struct elf_file *file, uint64_t offset);

#endif
