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
 * Of the files @files, whose descriptors it takes: no file is opened here. 0; -ENODATA when there is no line information; -ENOEXEC when it is no
 * ELF file; -ENOSYS when libdw cannot be loaded, of which pstat warns once; -ENOMEM. It takes memory: several times the size of the
 * file's line tables. What another user wrote can take any time and memory: see line-reader.h.
 */
int dwarf_lines__open(struct dwarf_files *files, struct dwarf_lines **lines);
void dwarf_lines__free(struct dwarf_lines *lines);

/* The line of @address, as linked. 0; -ENOENT when none is known; -ENOMEM, also for all that follow. */
int dwarf_lines__find(struct dwarf_lines *lines, uint64_t address, struct source_line *line);

#endif
