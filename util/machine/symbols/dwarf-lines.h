/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the source lines and inlined functions of a program or library, in its own DWARF data or in
 * its debug file.
 */
#ifndef PSTAT_MACHINE_DWARF_LINES_H
#define PSTAT_MACHINE_DWARF_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct dwarf_lines;

/*
 * The maximum number of frames (struct source_frame) at an address. If there are more, the
 * outermost inlined functions are left out.
 */
#define SOURCE_MOST_FRAMES 64

/* What dwarf_lines__find() should find. */
enum source_flags {
	SOURCE_LINES = 1,
	SOURCE_INLINED = 2,
};

/* An inlined function at an address. The last frame is for the function that is not inlined. */
struct source_frame {
	/*
	 * name as in symbol tables; "": the function has no name; NULL: this is the last frame
	 */
	const char *function;
	const char *file; /* path of the source file at compile time; NULL: unknown */
	/*
	 * Counted from 1. In all frames except the first, this is the line that calls the function
	 * of the previous frame.
	 */
	int line;
};

struct dwarf_files;

/*
 * Reads the DWARF data of @files and takes ownership of their descriptors. Opens no other files.
 * Returns 0; -ENODATA if there is no DWARF data; -ENOEXEC if the program or library is not an ELF
 * file; -ENOSYS if libdw cannot be loaded (pstat warns once); or -ENOMEM. Reading line tables needs
 * several times their size in memory. Reading another user's file can take any amount of time and
 * memory, so line-child.c calls these functions in a child process.
 */
int dwarf_lines__open(struct dwarf_files *files, struct dwarf_lines **lines);
void dwarf_lines__free(struct dwarf_lines *lines);

/*
 * Finds the frames at the link-time address @address, the innermost one first. The strings are
 * valid until the next search. @what: enum source_flags. Returns the number of frames; -ENOENT if
 * there is neither a line nor an inlined function; or -ENOMEM. After -ENOMEM, all later calls can
 * fail with -ENOMEM too.
 */
int dwarf_lines__find(struct dwarf_lines *lines, uint64_t address, unsigned int what,
		      struct source_frame frames[static SOURCE_MOST_FRAMES]);

/* Returns whether inlined functions are missing because a limit was reached (dwarf-inline.h). */
bool dwarf_lines__is_cut(const struct dwarf_lines *lines);

#endif
