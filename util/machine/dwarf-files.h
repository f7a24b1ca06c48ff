/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that the source lines of a program can be in: itself, the debug file that was split off it, and the file of what several debug
 * files have in common (dwz(1)). All are opened here, before any of their DWARF data is read.
 */
#ifndef PSTAT_MACHINE_DWARF_FILES_H
#define PSTAT_MACHINE_DWARF_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct build_id;

/* Descriptors; -1: none. */
struct dwarf_files {
	int file, debug, common;
};

#define DWARF_FILES_INIT                              \
	{                                             \
		.file = -1, .debug = -1, .common = -1 \
	}

/*
 * Takes @fd, the program of build id @id. Debug files are in the directories @debug_dirs ("/usr/lib/debug:…"), the common one too: a program
 * or a debug file names its path, and only a file below one of the directories is opened, with the build id that is named with it.
 */
void dwarf_files__open(struct dwarf_files *files, int fd, const struct build_id *id, const char *debug_dirs);
void dwarf_files__close(struct dwarf_files *files);

/* Is there a table of lines at all? Most installed programs have none. */
bool dwarf_files__have_lines(const struct dwarf_files *files);
/* The sum of their sizes in bytes. */
uint64_t dwarf_files__size(const struct dwarf_files *files);

#endif
