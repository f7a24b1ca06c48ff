/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of -o: made or opened before anything is counted, and written to only when there is something to say. */
#ifndef PSTAT_BUILTIN_OUTPUT_FILE_H
#define PSTAT_BUILTIN_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* All zero is none. */
struct output_file {
	const char *path;
	bool append;
	FILE *file;
	bool made; /* it was not there before */
	bool begun;
	bool failed; /* not all could be written */
};

/* 0 or -errno, told. */
int output_file__open(struct output_file *out, const char *path, bool append);
/* Before the first byte: an older file is emptied, unless it is added to. 0 or -errno, told. */
int output_file__begin(struct output_file *out);
/* Something could not be written, which is told already. */
void output_file__failed(struct output_file *out);
/*
 * One that was made is removed again when it was never begun, or got not one byte: a command that fails leaves none behind. 0 or -errno,
 * told: some file systems say only then that the disk is full.
 */
int output_file__close(struct output_file *out);

#endif
