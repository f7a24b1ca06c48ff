/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the source lines of one file with libdw, in a child process (bounded-child.h), because
 * another user's DWARF data can make libdw crash, or use any amount of time and memory. The answers
 * are stored, because the same addresses are looked up repeatedly:
 *
 *	line_reader__find ──► address ──► child: dwarf-lines ──► line ──► answers
 */
#ifndef PSTAT_MACHINE_LINE_READER_H
#define PSTAT_MACHINE_LINE_READER_H

#include <stdint.h>

struct build_id;
struct line_reader;
struct source_line;

/* The limits for one file. */
#define LINE_READER_MEMORY (1ULL << 30) /* bytes, in addition to the files themselves */
#define LINE_READER_CPU_SECONDS 10

/*
 * Takes ownership of @fd, the program @name with the build id @id. Its debug file is searched in
 * @debug_dirs. Returns 0 or -ENOMEM. The first search starts the child.
 */
int line_reader__new(const char *name, int fd, const struct build_id *id, const char *debug_dirs,
		     struct line_reader **reader);
void line_reader__free(struct line_reader *reader);

/*
 * Finds the line of @address, a link-time address. The file name in *@line is valid as long as the
 * reader. Returns 0, or -ENOENT if the line is unknown.
 */
int line_reader__find(struct line_reader *reader, uint64_t address, struct source_line *line);

#endif
