/* SPDX-License-Identifier: GPL-2.0-only */
/* The child process of line-reader.h, and the protocol between parent and child. */
#ifndef PSTAT_MACHINE_LINE_CHILD_H
#define PSTAT_MACHINE_LINE_CHILD_H

#include <stdint.h>

#define LINE_PATH_SIZE 8192
/* The child's exit code if memory ran out. In this case, libdw also exits with 1. */
#define LINE_CHILD_NO_MEMORY 1

/*
 * The reply to an address, followed by @len bytes of a path. The child sends a first reply before
 * any request. Its @err is the result of dwarf_lines__open().
 */
struct line_reply {
	int32_t err;
	int32_t line;
	uint32_t len;
};

/*
 * The function of a bounded child (bounded-child.h). @arg is a struct dwarf_files. Answers the
 * requests from @socket until the parent closes it. Does not return.
 */
void line_child__run(int socket, void *arg);

#endif
