/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of -o. It is opened or created before counting, and emptied only when there is something
 * to write.
 */
#ifndef PSTAT_BUILTIN_OUTPUT_FILE_H
#define PSTAT_BUILTIN_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* If all members are zero, there is no file. */
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
 * Call this before writing the first byte. Empties an existing file, unless the output is appended.
 * Returns 0, or -errno after reporting the reason.
 */
int output_file__begin(struct output_file *out);
/* Records that a write has failed and that the error was reported. */
void output_file__failed(struct output_file *out);
/*
 * Closes the file. If it was created and is still empty, removes it, so that a command that fails
 * leaves no file. Returns 0, or -errno after reporting the reason: some file systems report a full
 * disk only here.
 */
int output_file__close(struct output_file *out);

#endif
