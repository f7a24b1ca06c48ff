/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that can contain the line information of a program: the program itself, its separate
 * debug file, and the common file, to which dwz(1) moves data that several debug files share. All
 * of them must be open before any DWARF data is read, because the process that reads the data
 * cannot open files.
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
 * Opens the debug file and the common file of a program. @fd is an open descriptor of the program.
 * @files takes ownership of @fd. @id is the program's build id. @debug_dirs lists the directories
 * to search ("/usr/lib/debug:…"). The debug file (or the program, if it has no debug file) can
 * contain the path and the build id of a common file. The common file is opened only if it is below
 * one of the directories and has this build id.
 */
void dwarf_files__open(struct dwarf_files *files, int fd, const struct build_id *id,
		       const char *debug_dirs);
void dwarf_files__close(struct dwarf_files *files);

/*
 * Returns whether the program or its debug file has a line table. Most installed programs have
 * none.
 */
bool dwarf_files__have_lines(const struct dwarf_files *files);
/* Returns the total size of the files in bytes. */
uint64_t dwarf_files__size(const struct dwarf_files *files);

#endif
