/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the functions that pstat can probe in a program or library. A function can be found by any
 * of its names: aliases, names with versions (memcpy@GLIBC_2.2.5), and demangled C++ and Rust
 * names.
 */
#ifndef PSTAT_MACHINE_SCOPE_FUNCTIONS_H
#define PSTAT_MACHINE_SCOPE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct scope_functions;

struct scope_function {
	uint64_t address;    /* link-time address */
	uint64_t size;	     /* 0: unknown */
	uint64_t offset;     /* file offset of the first byte */
	const char *name;    /* the symbol without its version */
	const char *version; /* "GLIBC_2.2.5", or NULL */
	/* a function that the loader calls to select the implementation (IFUNC) */
	bool is_indirect;
	/*
	 * if several symbols have the same address, messages show the symbol with the highest rank
	 */
	uint8_t rank;
};

/*
 * Reads the functions of @file from .dynsym, and from the first of these tables that has functions:
 * .symtab, .symtab of its debug file in @debug_dirs, or the table of Go's runtime (scope-go.h).
 * Omits stubs of the PLT, and functions whose code is not in the file. @file must stay open until
 * the functions are freed. Returns 0; -ENODATA if the file has no functions; -EBADMSG if no
 * functions are known because the file is truncated; -E2BIG if a table or its names are too large;
 * -EINTR if a signal asks pstat to end; or -ENOMEM.
 */
int scope_functions__read(struct scope_functions **functions, const struct elf_file *file,
			  const char *debug_dirs);
void scope_functions__free(struct scope_functions *functions);

/*
 * Returns whether only exported functions (.dynsym) are known. In this case, the file is stripped,
 * and its debug file is not installed or cannot be read.
 */
bool scope_functions__are_exported_only(const struct scope_functions *functions);

/*
 * Returns the symbols of the functions, sorted by address, and sets *@nr to the number of symbols.
 * Symbols with the same address are sorted by rank, the highest rank first.
 */
const struct scope_function *scope_functions__all(const struct scope_functions *functions,
						  size_t *nr);

/* Returns the highest-ranking symbol of the function that contains @address, or NULL. */
const struct scope_function *scope_functions__at(const struct scope_functions *functions,
						 uint64_t address);

/*
 * Returns the demangled form of @name, or @name itself if it is not mangled. The result is valid
 * until the functions are freed. Returns NULL if memory ran out.
 */
const char *scope_functions__readable(struct scope_functions *functions, const char *name);

#endif
