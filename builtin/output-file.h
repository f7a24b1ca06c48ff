/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of -o. It is opened or created before anything is counted, and emptied only when there
 * is something to write.
 */
#ifndef PSTAT_BUILTIN_OUTPUT_FILE_H
#define PSTAT_BUILTIN_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* All zero: no file. */
struct output_file {
	const char *path;
	bool append;
	FILE *file;
	bool made; /* the file did not exist before */
	bool begun;
	bool failed; /* an error was reported */
};

/* Returns 0, or -errno after reporting the reason. */
int output_file__open(struct output_file *out, const char *path, bool append);
/*
 * Must be called before the first byte is written. Empties an existing file, unless it is appended
 * to. Returns 0, or -errno after reporting the reason.
 */
int output_file__begin(struct output_file *out);
/* Notes that a write failed and that the error has been reported. */
void output_file__failed(struct output_file *out);
/*
 * Closes the file. Removes it if it was created and nothing was written to it, so that a command
 * that fails leaves no file behind. Returns 0, or -errno after reporting the reason: some file
 * systems report only here that the disk is full.
 */
int output_file__close(struct output_file *out);

#endif
