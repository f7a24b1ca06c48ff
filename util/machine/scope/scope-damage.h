/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that return probes would damage. At the entry to a function, the kernel replaces the
 * return address (on x86-64: the word that the stack pointer points to) with the address of its own
 * code. Programs crash or calculate wrong results if this word is something else, or if somebody
 * reads it.
 */
#ifndef PSTAT_MACHINE_SCOPE_DAMAGE_H
#define PSTAT_MACHINE_SCOPE_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/*
 * Returns why a return probe at the code at @address, which is called @name (NULL: unknown), would
 * damage the program, as the end of a sentence; or NULL if it would not. Sets *@is_function to
 * false if the code is not a function, but a part of one, or the entry point of a program.
 */
const char *scope_damage__why(const struct elf_file *file, const char *name, uint64_t address,
			      bool *is_function);

/*
 * Returns whether @name is that of the rarely executed part of a function, which the compiler has
 * moved to another place: "f.cold" or "f.cold.1". The function jumps to it.
 */
bool scope_damage__is_cold_part(const char *name);

/*
 * Returns whether exceptions (C++), panics (Rust) and the like may pass functions of the file. The
 * library that handles them does not find its way past a replaced return address, and ends the
 * program.
 */
bool scope_damage__has_exceptions(const struct elf_file *file);

#endif
