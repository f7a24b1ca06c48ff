/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines of the code of a program or library, from the DWARF data of the file or of its debug
 * file.
 */
#ifndef PSTAT_MACHINE_DWARF_LINES_H
#define PSTAT_MACHINE_DWARF_LINES_H

#include <stdint.h>

struct dwarf_lines;

struct source_line {
	const char *file; /* path at compile time; valid until the next search */
	int line;	  /* from 1 */
};

struct dwarf_files;

/*
 * Reads the line information of @files and takes ownership of their descriptors. Opens no other
 * files. Returns 0; -ENODATA if there is no line information; -ENOEXEC if the file is not an ELF
 * file; -ENOSYS if libdw cannot be loaded (pstat warns once); or -ENOMEM. The call needs several
 * times the size of the line tables in memory. Another user's file can use any amount of time and
 * memory: see line-reader.h.
 */
int dwarf_lines__open(struct dwarf_files *files, struct dwarf_lines **lines);
void dwarf_lines__free(struct dwarf_lines *lines);

/*
 * Finds the line of @address, a link-time address. Returns 0; -ENOENT if it is unknown; or -ENOMEM,
 * which all later calls then return too.
 */
int dwarf_lines__find(struct dwarf_lines *lines, uint64_t address, struct source_line *line);

#endif
