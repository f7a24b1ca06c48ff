/* SPDX-License-Identifier: GPL-2.0-only */
/* The child of line-reader.h, and what it says. */
#ifndef PSTAT_MACHINE_LINE_CHILD_H
#define PSTAT_MACHINE_LINE_CHILD_H

#include <stdint.h>

struct dwarf_files;

#define LINE_PATH_SIZE 8192
/* The exit code for lack of memory; libdw itself exits with it too. */
#define LINE_CHILD_NO_MEMORY 1

/* To an address; @len bytes of a path follow. The first reply comes unasked: @err is then that of dwarf_lines__open(). */
struct line_reply {
	int32_t err;
	int32_t line;
	uint32_t len;
};

/* Answers what comes from @socket until it is closed. It does not return. */
_Noreturn void line_child__run(struct dwarf_files *files, int socket);

#endif
