/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds functions that must not have a return probe. At the entry of a function with a return
 * probe, the kernel replaces the return address with the address of code that calls the probe. On
 * x86-64, the kernel replaces the 64-bit value to which the stack pointer points. If this value is
 * not a return address, or if the program reads the value, the program crashes or calculates wrong
 * results.
 */
#ifndef PSTAT_MACHINE_SCOPE_DAMAGE_H
#define PSTAT_MACHINE_SCOPE_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/*
 * Returns the reason why a return probe at @address would damage the program, or NULL if pstat
 * knows no such reason. The reason is text for the end of a message. @name is the symbol at
 * @address, or NULL if no symbol is known. Sets *@is_function to false if @address is the entry
 * point of the program, or is in a cold part of a function (see scope_damage__is_cold_part()).
 * Otherwise, sets it to true.
 */
const char *scope_damage__why(const struct elf_file *file, const char *name, uint64_t address,
			      bool *is_function);

/*
 * Returns whether other code calls the code at @address. @name is the symbol at @address. pstat can
 * count code from its entry to its return only if the code is called, because otherwise the value
 * at the top of the stack need not be a return address. The entry point of a program, cold parts of
 * functions, and some code of the C library and the loader are not called. Functions that the
 * compiler made from other functions (such as f.isra.0), or from parts of them (such as f.part.0),
 * are reached by calls.
 */
bool scope_damage__is_called(const struct elf_file *file, const char *name, uint64_t address);

/*
 * Returns whether @name is the name of a cold part of a function, such as "f.cold" or "f.cold.1".
 * The compiler moves rarely executed code to a cold part outside the function. The function jumps
 * to the cold part.
 */
bool scope_damage__is_cold_part(const char *name);

/*
 * Returns whether C++ exceptions, Rust panics or the like can unwind stack frames of the file's
 * functions. The library that unwinds the stack cannot continue at a return address that the kernel
 * has replaced, and ends the program.
 */
bool scope_damage__has_exceptions(const struct elf_file *file);

#endif
