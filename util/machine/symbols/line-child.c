// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/line-child.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "util/machine/symbols/bounded-child.h"
#include "util/machine/symbols/dwarf-files.h"
#include "util/machine/symbols/dwarf-lines.h"
#include "util/machine/symbols/line-reader.h"

/* Sends the @nr frames in @frames, or the error @nr if it is negative. */
static void reply(int socket, const struct source_frame *frames, int nr, bool is_cut)
{
	static char text[LINE_TEXT_SIZE];
	struct line_reply said = { .err = nr < 0 ? nr : 0, .is_cut = is_cut };

	for (int i = 0; frames && i < nr; i++) {
		const char *strings[] = { frames[i].function ?: "", frames[i].file ?: "" };

		for (int k = 0; k < 2; k++) {
			size_t len = strlen(strings[k]) + 1;

			if (len > sizeof(text) - said.size) {
				reply(socket, NULL, -ENOENT, is_cut);
				return;
			}
			memcpy(text + said.size, strings[k], len);
			said.size += (uint32_t)len;
		}
		said.lines[said.nr++] = frames[i].line;
	}
	bounded_child__send(socket, &said, sizeof(said));
	bounded_child__send(socket, text, said.size);
}

void line_child__run(int socket, void *arg)
{
	const struct line_child_job *job = arg;
	struct dwarf_files *files = job->files;
	const int kept[] = { socket, files->file, files->debug, files->common };
	const struct bounded_limits limits = {
		.memory = LINE_READER_MEMORY + dwarf_files__size(files),
		.cpu_seconds = LINE_READER_CPU_SECONDS,
	};
	struct source_frame frames[SOURCE_MOST_FRAMES];
	struct dwarf_lines *lines;
	uint64_t address;
	int nr;

	bounded_child__confine(kept, sizeof(kept) / sizeof(kept[0]), &limits);
	nr = dwarf_lines__open(files, &lines);
	while (nr != -ENOMEM) {
		reply(socket, frames, nr, lines && dwarf_lines__is_cut(lines));
		if (read(socket, &address, sizeof(address)) != sizeof(address))
			_exit(0);
		nr = dwarf_lines__find(lines, address, job->what, frames);
	}
	_exit(LINE_CHILD_NO_MEMORY);
}
