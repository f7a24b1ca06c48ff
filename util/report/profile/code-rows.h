/* SPDX-License-Identifier: GPL-2.0-only */
/* The whole code of BPF programs with the samples next to it, as --annotate shows it. */
#ifndef PSTAT_REPORT_CODE_ROWS_H
#define PSTAT_REPORT_CODE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/report/profile/profile-sums.h"

struct bpf_code;

enum code_row_kind {
	CODE_FUNC,   /* a function begins; its samples are those of what follows */
	CODE_SOURCE, /* a line of source */
	/* an instruction, if there is no source; of those that samples may belong to, the first has them */
	CODE_INSN,
	CODE_MACHINE, /* machine code whose instruction is unknown: `insn` is the offset in the function */
};

/* Strings are not owned. */
struct code_row {
	struct profile_sums sums;
	enum code_row_kind kind;
	int prog; /* index of the program */
	uint32_t prog_id;
	const char *prog_name, *func;
	const struct bpf_code *code;
	const char *file, *text; /* of a line of source; otherwise "" */
	bool begins_file;	 /* the line before it in the function is of another file */
	uint32_t line, insn;
};

struct code_rows {
	int nr;
	struct code_row *rows; /* by event, program, function, then in the order of the code */
	bool failed;	       /* out of memory */
};

/* The heading of a table: the columns of a line of source. */
extern const struct column code_source_columns[];
/* A comment above a table: the program of the row. */
extern const struct column code_title_columns[];
/* The columns of @row, which depend on its kind. */
const struct column *code_row__columns(const struct code_row *row);

/* The code of all programs that have samples. Returns 0 and @code, or -ENOMEM. */
int code_rows__make(const struct profile_source *from, const struct profile_totals *totals, struct code_rows *code);
void code_rows__free(struct code_rows *code);

#endif
