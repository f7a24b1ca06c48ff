/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses libdw to read the source lines and the inlined functions of one file. This happens in a
 * child process (bounded-child.h), because another user's DWARF data can make libdw crash, or use
 * any amount of time and memory. The reader caches the answers, because the same addresses are
 * looked up repeatedly (answers.h):
 *
 *	line_reader__find ──► address ──► child: dwarf-lines ──► frames ──► answers
 */
#ifndef PSTAT_MACHINE_LINE_READER_H
#define PSTAT_MACHINE_LINE_READER_H

#include <stdbool.h>
#include <stdint.h>

struct build_id;
struct line_reader;
struct source_frame;

/*
 * The memory in bytes that the child may use, in addition to the size of the file and of its debug
 * files.
 */
#define LINE_READER_MEMORY (1ULL << 30)
/* The CPU time that the child may use. */
#define LINE_READER_CPU_SECONDS 10
/* The maximum size in bytes of the cached answers for one file. */
#define LINE_READER_ANSWERS (64 << 20)
/* The maximum real time in seconds that pstat spends on all files of other users together. */
#define LINE_READER_OTHERS_SECONDS 30

struct line_file {
	const char *name;
	int fd; /* descriptor of the file; line_reader__new() takes ownership */
	const struct build_id *id;
	const char *debug_dirs; /* directories with debug files; must outlive the reader */
	bool is_trusted;	/* the file belongs to root or to the effective user */
};

/*
 * Sets *@reader to a new reader of @file. @what: enum source_flags (dwarf-lines.h). Returns 0 or
 * -ENOMEM. The first search starts the child.
 */
int line_reader__new(const struct line_file *file, unsigned int what, struct line_reader **reader);
void line_reader__free(struct line_reader *reader);

/*
 * Finds the frames (struct source_frame in dwarf-lines.h) at the link-time address @address, as
 * dwarf_lines__find() does. @address must not be 0. Sets *@frames to an array that is valid until
 * the next search. The strings in it are valid until the reader is freed. Returns the number of
 * frames, or -ENOENT if nothing is known.
 */
int line_reader__find(struct line_reader *reader, uint64_t address,
		      const struct source_frame **frames);

#endif
