/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines of one file, read by libdw in a process of its own. DWARF data of another user can make libdw take any time and memory, or
 * crash it. So a child reads it, which has no privileges, cannot open files, and is killed when it exceeds its bounds or when a signal comes:
 *
 *	line_reader__find ──► address ──► child: dwarf-lines ──► line ──► kept here, as addresses are asked for again and again
 */
#ifndef PSTAT_MACHINE_LINE_READER_H
#define PSTAT_MACHINE_LINE_READER_H

#include <stdint.h>

struct build_id;
struct line_reader;
struct source_line;

/* The bounds of one file. */
#define LINE_READER_MEMORY (1ULL << 30) /* besides the files themselves */
#define LINE_READER_CPU_SECONDS 10

/*
 * Takes @fd, the program @name of build id @id. Its debug file is looked for in @debug_dirs. 0; -ENOMEM, or -errno of making a process.
 * The child starts at the first search.
 */
int line_reader__new(const char *name, int fd, const struct build_id *id, const char *debug_dirs,
		     struct line_reader **reader);
void line_reader__free(struct line_reader *reader);

/* The line of @address, as linked; its file is valid as long as the reader. 0; -ENOENT when none is known. */
int line_reader__find(struct line_reader *reader, uint64_t address, struct source_line *line);

#endif
