/* SPDX-License-Identifier: GPL-2.0-only */
/* The child process of line-reader.h, and the protocol between parent and child. */
#ifndef PSTAT_MACHINE_LINE_CHILD_H
#define PSTAT_MACHINE_LINE_CHILD_H

#include <stdint.h>

#include "util/machine/symbols/dwarf-lines.h"

struct dwarf_files;

/*
 * The maximum total size in bytes of the strings in a reply. If this is not enough, the reply has
 * the `err` -ENOENT and no strings.
 */
#define LINE_TEXT_SIZE (128 << 10)
/*
 * The child's exit code if memory ran out. libdw uses the same code when it ends the process
 * because memory ran out.
 */
#define LINE_CHILD_NO_MEMORY 1

/*
 * The reply to a request. A request is an address. After this struct, `size` bytes follow. They
 * contain two strings for each frame (struct source_frame): its function and its source file. Each
 * string ends with a NUL and is empty if the function or file is unknown. The function of the last
 * frame is always empty. When the child starts, it sends a reply without a request; the `err` of
 * this reply is the result of dwarf_lines__open().
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
 * The function that the child runs (bounded_child__start()). Answers the requests from @socket
 * until the parent closes its end. @arg is a struct line_child_job. Does not return.
 */
void line_child__run(int socket, void *arg);

#endif
