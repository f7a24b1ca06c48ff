/* SPDX-License-Identifier: GPL-2.0-only */
/* The child process of line-reader.h, and the protocol between parent and child. */
#ifndef PSTAT_MACHINE_LINE_CHILD_H
#define PSTAT_MACHINE_LINE_CHILD_H

#include <stdint.h>

#include "util/machine/symbols/dwarf-lines.h"

struct dwarf_files;

/* The maximum size of the strings of a reply. The child does not send longer ones. */
#define LINE_TEXT_SIZE (128 << 10)
/* The child's exit code if memory ran out. In this case, libdw also exits with 1. */
#define LINE_CHILD_NO_MEMORY 1

/*
 * The reply to an address, followed by @size bytes: the function and the file of each frame, both
 * ended by a NUL, and empty if unknown. The function of the last frame is always empty. The child
 * sends a first reply before any request. Its @err is the result of dwarf_lines__open().
 */
struct line_reply {
	int32_t err;
	uint32_t nr; /* number of frames */
	uint32_t size;
	uint32_t is_cut; /* inlined functions are missing (dwarf_lines__is_cut()) */
	int32_t lines[SOURCE_MOST_FRAMES];
};

struct line_child_job {
	struct dwarf_files *files;
	unsigned int what; /* enum source_flags */
};

/*
 * The function of a bounded child (bounded-child.h). @arg is a struct line_child_job. Answers the
 * requests from @socket until the parent closes it. Does not return.
 */
void line_child__run(int socket, void *arg);

#endif
