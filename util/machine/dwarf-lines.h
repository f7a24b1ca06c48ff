/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines of a program's or library's code, out of its DWARF or that of its debug file. */
#ifndef PSTAT_MACHINE_DWARF_LINES_H
#define PSTAT_MACHINE_DWARF_LINES_H

#include <stdint.h>

struct dwarf_lines;

struct source_line {
	const char *file; /* its path when it was compiled; valid until the next search */
	int line;	  /* from 1 */
};

struct dwarf_files;

/*
 * Reads the line information of @files and takes ownership of their descriptors. Opens no other files. Returns 0;
 * -ENODATA if there is no line information; -ENOEXEC if the file is not an ELF file; -ENOSYS if libdw cannot be loaded
 * (pstat warns once); -ENOMEM. It needs several times the size of the line tables in memory. A file of another user
 * can take any amount of time and memory: see line-reader.h.
 */
int dwarf_lines__open(struct dwarf_files *files, struct dwarf_lines **lines);
void dwarf_lines__free(struct dwarf_lines *lines);

/*
 * Finds the line of @address, a link-time address. Returns 0; -ENOENT if none is known; or -ENOMEM, which all later
 * calls then return too.
 */
int dwarf_lines__find(struct dwarf_lines *lines, uint64_t address, struct source_line *line);

#endif
