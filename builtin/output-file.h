/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output file that the option -o names. pstat opens or creates the file before counting, but
 * does not empty it until just before the first write.
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
	bool made; /* output_file__open() created the file */
	bool begun;
	bool failed; /* an error was reported for this file */
};

/*
 * Opens or creates the file @path for writing. Returns 0, or -errno after reporting the reason.
 */
int output_file__open(struct output_file *out, const char *path, bool append);
/*
 * Empties the file, unless `append` is set. Call this before writing the first byte. Returns 0, or
 * -errno after reporting the reason.
 */
int output_file__begin(struct output_file *out);
/* Records that a write has failed and that the error was reported. */
void output_file__failed(struct output_file *out);
/*
 * Closes the file. If output_file__open() created the file, removes it in two cases:
 * output_file__begin() was not called, or an error was reported and the file is empty. So a command
 * that fails leaves no empty file. Returns 0, or -errno if closing the file fails: some file
 * systems report a full disk only then. Reports this error unless an earlier one was reported.
 */
int output_file__close(struct output_file *out);

#endif
