/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that return probes would damage. For a return probe, the kernel replaces the return
 * address at the entry of the function (on x86-64: the word that the stack pointer points to) with
 * the address of its own code. If this word is not a return address, or if the program reads it,
 * the program crashes or calculates wrong results.
 */
#ifndef PSTAT_MACHINE_SCOPE_DAMAGE_H
#define PSTAT_MACHINE_SCOPE_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/*
 * Returns why a return probe at @address would damage the program, as the end of a sentence, or
 * NULL if it would not. @name: the symbol at @address; NULL: unknown. Sets *@is_function to false
 * if the code there is only a part of a function, or the entry point of a program.
 */
const char *scope_damage__why(const struct elf_file *file, const char *name, uint64_t address,
			      bool *is_function);

/*
 * Returns whether the code at @address, whose symbol is @name, is called, so that it can be counted
 * from its entry to its return. The place at which a program begins, cold parts of functions, and
 * some code of the loader are not called, so the stack contains no return address there. Parts that
 * the compiler has made into functions ("f.part.0", "f.isra.0") are called.
 */
bool scope_damage__is_called(const struct elf_file *file, const char *name, uint64_t address);

/*
 * Returns whether @name is the name of a rarely executed part of a function, "f.cold" or
 * "f.cold.1". The compiler has moved this part to another place, and the function jumps there.
 */
bool scope_damage__is_cold_part(const char *name);

/*
 * Returns whether exceptions (C++), panics (Rust) and the like may pass through functions of the
 * file. The library that handles them cannot unwind the stack past a replaced return address, and
 * ends the program.
 */
bool scope_damage__has_exceptions(const struct elf_file *file);

#endif
