/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines and inlined functions of the code of a program or library, from the DWARF data of
 * the file or of its debug file.
 */
#ifndef PSTAT_MACHINE_DWARF_LINES_H
#define PSTAT_MACHINE_DWARF_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct dwarf_lines;

/*
 * The maximum number of frames at an address. If there are more, the outermost inlined functions
 * are left out.
 */
#define SOURCE_MOST_FRAMES 64

/* What to find. */
enum source_flags {
	SOURCE_LINES = 1,
	SOURCE_INLINED = 2,
};

/* An inlined function, or the function that contains all of them. */
struct source_frame {
	/*
	 * its name as in symbol tables; "": it has none; NULL: the last frame, which is not inlined
	 */
	const char *function;
	/*
	 * Path at compile time; NULL: unknown. The line of an outer frame is the one that calls the
	 * inner function.
	 */
	const char *file;
	int line; /* from 1 */
};

struct dwarf_files;

/*
 * Reads the line information of @files and takes ownership of their descriptors. Opens no other
 * files. Returns 0; -ENODATA if there is no line information; -ENOEXEC if the file is not an ELF
 * file; -ENOSYS if libdw cannot be loaded (pstat warns once); or -ENOMEM. The call needs memory of
 * several times the size of the line tables. Another user's file can use any amount of time and
 * memory: see line-reader.h.
 */
int dwarf_lines__open(struct dwarf_files *files, struct dwarf_lines **lines);
void dwarf_lines__free(struct dwarf_lines *lines);

/*
 * Finds the frames of @address, a link-time address, the innermost one first. The strings are valid
 * until the next search. @what: enum source_flags. Returns the number of frames; -ENOENT if there
 * is neither a line nor an inlined function; or -ENOMEM, which all later calls may then return too.
 */
int dwarf_lines__find(struct dwarf_lines *lines, uint64_t address, unsigned int what,
		      struct source_frame frames[static SOURCE_MOST_FRAMES]);

/* Returns whether inlined functions are missing because a limit was reached (dwarf-inline.h). */
bool dwarf_lines__is_cut(const struct dwarf_lines *lines);

#endif
