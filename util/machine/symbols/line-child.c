// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/line-child.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/machine/symbols/bounded-child.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/dwarf-lines.h"
#include "util/machine/symbols/line-reader.h"

static void reply(int socket, int err, const struct source_line *line)
{
	size_t len = !err ? strlen(line->file) : 0;
	struct line_reply said = { .err = err			       ?:
						  len < LINE_PATH_SIZE ? err :
									 -1,
				   .line = line->line };

	said.len = said.err ? 0 : (uint32_t)len;
	bounded_child__send(socket, &said, sizeof(said));
	bounded_child__send(socket, line->file, said.len);
}

void line_child__run(int socket, void *arg)
{
	struct dwarf_files *files = arg;
	const int kept[] = { socket, files->file, files->debug, files->common };
	const struct bounded_limits limits = {
		.memory = LINE_READER_MEMORY + dwarf_files__size(files),
		.cpu_seconds = LINE_READER_CPU_SECONDS,
	};
	struct source_line line = { .file = "lines", .line = 1 };
	struct dwarf_lines *lines;
	uint64_t address;
	int err;

	bounded_child__confine(kept, sizeof(kept) / sizeof(kept[0]), &limits);
	err = dwarf_lines__open(files, &lines);
	while (err != -ENOMEM) {
		reply(socket, err, &line);
		if (read(socket, &address, sizeof(address)) != sizeof(address))
			_exit(0);
		err = dwarf_lines__find(lines, address, &line);
	}
	_exit(LINE_CHILD_NO_MEMORY);
}
