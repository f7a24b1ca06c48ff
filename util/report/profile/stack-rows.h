/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples with their stacks as rows: one for each function or source line, and one for each stack. */
#ifndef PSTAT_REPORT_STACK_ROWS_H
#define PSTAT_REPORT_STACK_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/code-names.h"
#include "util/report/profile/profile-sums.h"

struct profile;
struct stack_namer;
struct stack_rows;

/* A function, or one of its lines if these were asked for; all code of an object without names. */
struct symbol_row {
	struct profile_sums sums;
	struct code_name name;
};

/* Samples that had the same frames, in the same process and with the same name of the thread. */
struct stack_row {
	struct row_event event;
	uint32_t pid;
	char comm[16];
	struct sample_sum sum;
	int nr;
	struct code_name *names; /* the outermost first */
};

/* What is unknown about the stacks of an event. */
struct stack_losses {
	struct row_event event;
	const struct stack_rows *all;
	uint64_t collided, no_room, failed; /* as in struct profile_stack_fate */
	uint64_t cut;			    /* samples with a stack that has more frames than the kernel's limit */
	uint64_t unnamed;		    /* samples in code without a name */
	uint64_t lost_mappings;
};

struct stack_rows {
	const struct profile *profile; /* not owned */
	int nr_symbols;
	struct symbol_row *symbols; /* by event, then the largest weight of its own first */
	int nr_stacks;
	struct stack_row *stacks; /* by event, then by comm and frames */
	int nr_events;
	struct stack_losses *losses; /* [event] */
};

extern const struct column symbol_columns[], symbol_line_columns[]; /* with --lines */
extern const struct column stack_columns[];
extern const struct column stack_losses_columns[]; /* in tables, they are comments */

/*
 * Most functions only call others. Tables have only those of them that are a large part of the
 * whole; CSV and JSON have all.
 */
bool symbol_row__is_in_tables(const struct symbol_row *row);

/*
 * Finds the names in @profile, which must outlive it. @lines: source lines too. The kernel's names
 * are read when the first one is needed. Returns NULL without memory.
 */
struct stack_namer *stack_namer__new(const struct profile *profile, bool lines);
/* Returns why the kernel's functions are unknown, or NULL. */
const char *stack_namer__kernel_error(const struct stack_namer *namer);
void stack_namer__free(struct stack_namer *namer);

/* Returns 0 and @rows, or -ENOMEM. */
int stack_rows__make(const struct profile_source *from, const struct profile_totals *totals, struct stack_namer *namer,
		     struct stack_rows *rows);
void stack_rows__free(struct stack_rows *rows);

#endif
