/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of --per-prog, each a column of the counts as a thread is. A row is a program, or with --follow a program and those
 * of its name that came when it had gone. Rows are added while it counts, and stay as long as the session.
 */
#ifndef PSTAT_COUNT_PROG_ROWS_H
#define PSTAT_COUNT_PROG_ROWS_H

#include <stdint.h>

struct prog_row {
	char *name;
	uint32_t id; /* of the program that was counted in it last */
};

struct prog_rows {
	int nr; /* a row's place is the thread index of the counts */
	struct prog_row *rows;
};

/* The new row's place, or -ENOMEM. */
int prog_rows__add(struct prog_rows *rows, const char *name, uint32_t id);
/* Empties it. */
void prog_rows__free(struct prog_rows *rows);

#endif
