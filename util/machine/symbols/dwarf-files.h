/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that can contain the source lines of a program: the program itself, its separate debug
 * file, and the common file that several debug files share (dwz(1)). All of them are opened here,
 * before any DWARF data is read.
 */
#ifndef PSTAT_MACHINE_DWARF_FILES_H
#define PSTAT_MACHINE_DWARF_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct build_id;

/* File descriptors; -1 means that there is no such file. */
struct dwarf_files {
	int file, debug, common;
};

#define DWARF_FILES_INIT                              \
	{                                             \
		.file = -1, .debug = -1, .common = -1 \
	}

/*
 * Takes ownership of @fd, the program with the build id @id, and opens its debug file and its
 * common file. @debug_dirs lists the directories to search ("/usr/lib/debug:…"). A program or debug
 * file names the path and the build id of its common file. That file is opened only if it is below
 * one of the directories and has that build id.
 */
void dwarf_files__open(struct dwarf_files *files, int fd, const struct build_id *id,
		       const char *debug_dirs);
void dwarf_files__close(struct dwarf_files *files);

/* Returns whether any of the files has a line table. Most installed programs have none. */
bool dwarf_files__have_lines(const struct dwarf_files *files);
/* Returns the total size of the files in bytes. */
uint64_t dwarf_files__size(const struct dwarf_files *files);

#endif
