/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds instructions that uprobes cannot probe, because the kernel refuses them or executes them
 * incorrectly. The kernel examines an instruction only in a process that has mapped the file. If
 * there is no such process when pstat attaches the probe, the kernel accepts any instruction.
 * Later, when a process maps the file, the kernel can still refuse the instruction, but it reports
 * no error. The probe then has no effect.
 */
#ifndef PSTAT_MACHINE_SCOPE_REFUSED_H
#define PSTAT_MACHINE_SCOPE_REFUSED_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;

/*
 * Returns 0 if a uprobe can probe the instruction at @offset in the file, otherwise the length of
 * the instruction (1 if the length is unknown). On x86-64, the instructions that uprobes cannot
 * probe include I/O instructions, interrupts, some vector instructions, and instructions with the
 * prefix lock, cs, ds, es or ss. On other machines, always returns 0.
 */
size_t scope_refused__length(const struct elf_file *file, uint64_t offset);

#endif
