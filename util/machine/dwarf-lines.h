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

/*
 * Of the ELF file @path; its debug file is looked for in @debug_dirs ("/usr/lib/debug:…") by build id; they must outlive the lines.
 * 0; -ENODATA when there is no line information of it; -ENOEXEC when it is no such file; -ENOSYS when libdw cannot be loaded, which is
 * warned of once; -ENOMEM. It takes memory: several times the size of the file's line tables.
 */
int dwarf_lines__open(const char *path, const char *debug_dirs, struct dwarf_lines **lines);
void dwarf_lines__free(struct dwarf_lines *lines);

/* The line of @address, as linked. 0; -ENOENT when none is told for it. */
int dwarf_lines__find(struct dwarf_lines *lines, uint64_t address, struct source_line *line);

#endif
