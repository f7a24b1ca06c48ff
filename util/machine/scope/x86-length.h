/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the length of an x86-64 instruction. */
#ifndef PSTAT_MACHINE_X86_LENGTH_H
#define PSTAT_MACHINE_X86_LENGTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the length of the instruction at @code, or 0 if the instruction is unknown or incomplete.
 * @size is the number of readable bytes at @code. Sets *@returns to whether the instruction is a
 * near return (C2 or C3). The formats of instructions are described in Intel's Software Developer's
 * Manual, volume 2 ("Instruction Format" and the opcode maps).
 */
size_t x86_length__of(const uint8_t *code, size_t size, bool *returns);

#endif
