/* SPDX-License-Identifier: GPL-2.0-only */
/* A branch that a CPU recorded, with the functions and source lines of its two ends. */
#ifndef PSTAT_REPORT_BRANCH_ROW_H
#define PSTAT_REPORT_BRANCH_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/report/column.h"

struct branch;
struct branch_names;
struct strbuf;

/* Owns the texts. An unknown text is "". */
struct branch_row {
	char *from, *to;	   /* "function+0xOFFSET", "function" or "0xADDRESS" */
	char *from_line, *to_line; /* "file:line" */
	bool mispredicted;
	uint32_t cycles; /* CPU cycles since the previous branch; 0: unknown */
};

/* A zeroed struct is empty. */
struct branch_rows {
	int nr;
	struct branch_row *list; /* in the order of execution */
};

/*
 * Makes a row for each of the @nr branches in @list. @pid is the process that executed the
 * branches. @prog_id is the BPF program that may contain them (0: none). Returns 0 or -ENOMEM. Call
 * branch_rows__free() in both cases.
 */
int branch_rows__make(struct branch_rows *rows, const struct branch *list, int nr,
		      struct branch_names *names, pid_t pid, uint32_t prog_id);
void branch_rows__free(struct branch_rows *rows);

/* Columns for CSV and JSON. */
extern const struct column branch_row_columns[];
/*
 * Adds "FROM (LINE) -> TO (LINE), after N cycles, mispredicted". Omits the parts that do not apply.
 */
void branch_row__add_text(const struct branch_row *row, struct strbuf *sb);

#endif
