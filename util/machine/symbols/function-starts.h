/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the addresses at which functions start, in an ELF file without symbols. The section
 * .eh_frame_hdr lists all functions that have data for unwinding the stack. strip(1) keeps this
 * section, because exceptions need it.
 */
#ifndef PSTAT_MACHINE_FUNCTION_STARTS_H
#define PSTAT_MACHINE_FUNCTION_STARTS_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;

struct function_starts {
	int32_t *starts; /* relative to `base`; sorted if the file is valid */
	size_t nr;
	uint64_t base; /* link-time address of the section */
};

/*
 * Reads the list of function starts. Returns 0; -E2BIG if it has more than ELF_MOST_SYMBOLS entries
 * (elf-file.h); or -ENOENT if the file has no list, if the list has an unusual format or cannot be
 * read, or if memory ran out. Free the list with function_starts__free(), even after an error.
 */
int function_starts__read(struct function_starts *list, const struct elf_file *file);
void function_starts__free(struct function_starts *list);

/*
 * Returns the start of the function at @address: the highest start in the list that is not greater
 * than @address. Returns 0 if there is none. All addresses are link-time addresses.
 */
uint64_t function_starts__find(const struct function_starts *list, uint64_t address);

#endif
