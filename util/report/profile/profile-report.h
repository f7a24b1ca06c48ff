/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts the samples of `pstat profile` to rows, and describes their columns
 * (util/report/column.h).
 *
 *	profile-report.c	totals of each event, and helpers for all kinds of rows
 *	profile-lines.c		with -b: lines of BPF programs
 *	code-rows.c		with --annotate: the whole code of BPF programs
 *	stack-rows.c		without -b: stacks, and the functions in them
 *	stack-columns.c		the columns of stacks, functions and losses
 *
 * With -b, pstat keeps only samples in the chosen programs (the BPF programs that the user
 * selected) and in the code that they call. The weight of a sample is the part of the event's count
 * that the sample represents. Losses say which parts of stacks are missing or unknown. Rows do not
 * own their strings. In tables, totals and losses are printed as comments.
 */
#ifndef PSTAT_REPORT_PROFILE_REPORT_H
#define PSTAT_REPORT_PROFILE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/count/profile/sample-table.h"
#include "util/machine/symbols/code-names.h"
#include "util/report/column.h"

struct bpf_code;
struct profile_report;
struct measurement;
struct profile;
struct sampling;
struct stack_namer;

/* The event of a row. Each row struct begins with this struct or with struct profile_sums. */
struct row_event {
	int nr; /* index of the event */
	const char *name;
};

/* The sums of a row that represents code. The row struct begins with this struct. */
struct profile_sums {
	struct row_event event;
	struct sample_sum self;	 /* samples in the code itself */
	struct sample_sum total; /* samples in the code, and in functions that it called */
	/* the weights of `self` and `total`, in percent of profile_totals.kept_weight */
	double share, total_share;
};

/* The totals of an event, and its losses. */
struct profile_totals {
	struct row_event event;
	const struct profile_report *report;
	uint64_t samples;     /* samples that were taken */
	uint64_t weight;      /* weight of these samples */
	uint64_t kept;	      /* samples in rows */
	uint64_t kept_weight; /* weight of the samples in rows */
	uint64_t self;	      /* with -b: samples in the chosen programs' own code */
	uint64_t elsewhere; /* samples outside the chosen programs and the code that they called */
	/* samples dropped because the BPF map was full (no_room) or its lock was held (busy) */
	uint64_t no_room, busy;
	uint64_t no_stack; /* with -b: samples whose stack the kernel could not walk */
	/* missed samples: the samples expected from the event's count, minus the samples taken */
	uint64_t missed;
	bool of_tasks;		   /* the kernel samples each thread, instead of each CPU */
	uint64_t enabled, running; /* in ns */
	uint64_t count;		   /* the event's count; with --start or --stop: `weight` */

	/* The following members are the losses. They are set only without -b. */

	/* samples whose stacks were lost, by reason (struct profile_stack_fate) */
	uint64_t collided, no_stack_room, failed;
	/* samples whose stack has the maximum number of frames, so outer frames may be missing */
	uint64_t cut;
	uint64_t unnamed;	/* samples in code whose function is unknown */
	uint64_t lost_mappings; /* lost records of new mappings; the same number for all events */
};

enum code_row_kind {
	CODE_FUNC,    /* heading of a function, with the samples of the whole function */
	CODE_SOURCE,  /* a source line */
	CODE_INSN,    /* an instruction, if there is no source */
	CODE_MACHINE, /* machine code whose BPF instruction is unknown */
};

/*
 * A function, line or instruction of a BPF program. `total` includes samples in the BPF helpers and
 * functions that this code called.
 */
struct code_row {
	struct profile_sums sums;
	enum code_row_kind kind;
	int prog; /* index of the program */
	uint32_t prog_id;
	const char *prog_name, *func;
	const struct bpf_code *code;
	const char *file, *text; /* file and text of a source line; otherwise "" */
	/* this is the first source row of the function, or the previous row is from another file */
	bool begins_file;
	uint32_t line; /* 0: unknown */
	uint32_t insn; /* index of the instruction; CODE_MACHINE: offset in the function */
};

/*
 * A function or, with --lines, a line of a function. Code without a known function name has a row
 * for each code_name.address: the start of the function or, if that is unknown too, the start of a
 * block of CODE_BLOCK bytes.
 */
struct symbol_row {
	struct profile_sums sums;
	struct code_name name;
};

/* Samples with the same event, process, thread name and names of frames. */
struct stack_row {
	struct row_event event;
	uint32_t pid;
	char comm[16];
	struct sample_sum sum;
	int nr, room;
	struct code_name *names; /* owned; the outermost frame first */
};

/*
 * The caller must set `sampling`, `measurement`, `is_interval` and `namer`, zero the rest, and call
 * profile_report__make_totals() before the other functions that make rows.
 */
struct profile_report {
	const struct sampling *sampling;
	const struct measurement *measurement;
	bool is_interval;	       /* only samples since the latest profile__mark() */
	struct stack_namer *namer;     /* NULL with -b */
	struct profile_totals *totals; /* [event] */
	int nr_lines, nr_code, nr_symbols, nr_stacks;
	/*
	 * A row for each line that has samples. If a function has samples in unknown lines, it has
	 * one more row for them. Ordered by event, then by decreasing weight of `total`.
	 */
	struct code_row *lines;
	struct code_row *code;	    /* see profile_report__make_code() */
	struct symbol_row *symbols; /* ordered by event, then by decreasing weight of `self` */
	struct stack_row *stacks;   /* ordered by event, then by comm and frames */
};

/* The following profile_report__make_...() functions return 0 or -ENOMEM. */
int profile_report__make_totals(struct profile_report *report);
int profile_report__make_lines(struct profile_report *report);
/*
 * For each event, and each program in which the event has samples, makes rows for all code of the
 * program or, with -b ID:FUNCTION, of this function, including code without samples. The rows are
 * ordered by event, program and function.
 */
int profile_report__make_code(struct profile_report *report);
int profile_report__make_stacks(struct profile_report *report); /* also makes `symbols` */
void profile_report__free(struct profile_report *report);

/*
 * Makes a struct that finds the names of frames. @profile must outlive the struct. @flags are bits
 * of enum code_names_flags. Returns NULL if memory ran out.
 */
struct stack_namer *stack_namer__new(const struct profile *profile, unsigned int flags);
/*
 * Returns the reason why the kernel's symbols cannot be read. Returns NULL if they can be read, if
 * they are not needed, or if a signal interrupted the reading.
 */
const char *stack_namer__kernel_error(const struct stack_namer *namer);
void stack_namer__free(struct stack_namer *namer);

/* ---- columns ---- */

extern const struct column profile_totals_columns[], profile_losses_columns[];
extern const struct column profile_line_columns[];
extern const struct column code_title_columns[]; /* the program, as a comment */
/* the headings of this array are used for all kinds of code_row */
extern const struct column code_source_columns[];
/* symbol_line_columns: with --lines */
extern const struct column symbol_columns[], symbol_line_columns[];
extern const struct column stack_columns[];

/* Returns the columns for the row's kind. */
const struct column *code_row__columns(const struct code_row *row);
/*
 * Returns whether tables show @row, a struct symbol_row. Tables omit a function if it has no
 * samples of its own and its total is less than 5 %. CSV and JSON contain all rows.
 */
bool symbol_row__is_in_tables(const void *row);

/* ---- shared by the files of this folder ---- */

/*
 * Returns the samples of entry @place in the profile's table: all of them or, with
 * report->is_interval, the samples since the latest profile__mark().
 */
struct sample_sum profile_report__at(const struct profile_report *report, uint32_t place);
struct row_event profile_report__event(const struct profile_report *report, int event);

/*
 * Sorts @nr rows of @size bytes by @compare, and merges equal rows by adding up their samples.
 * Returns the number of remaining rows.
 */
int profile_sums__merge(void *rows, int nr, size_t size,
			int (*compare)(const void *left, const void *right));
/* Computes `share` and `total_share` of the rows. @totals has an element for each event. */
void profile_sums__share_out(void *rows, int nr, size_t size, const struct profile_totals *totals);
/*
 * Compares rows to sort them by event, then by decreasing weight of `total`, then by decreasing
 * weight of `self`. With @self_first, compares `self` before `total`.
 */
int profile_sums__compare(const struct profile_sums *a, const struct profile_sums *b,
			  bool self_first);

/* Returns a row for function @func of program @prog. The row has no samples yet. */
struct code_row code_row__of(const struct profile_report *report, int event, int prog, int func);

/* Returns @path without its directories. */
const char *profile_report__base_name(const char *path);

/* The kind of row and the event, for CSV and JSON. */
#define PROFILE_KIND_COLUMNS(kind_name)                               \
	COLUMN_BY(IN_DATA, "kind", COLUMN_WORD, .word = (kind_name)), \
		COLUMN(IN_DATA, "event", struct row_event, name)

#define PROFILE_SELF_COLUMNS                                                   \
	COLUMN(IN_DATA, "share", struct profile_sums, share),                  \
		COLUMN(IN_DATA, "samples", struct profile_sums, self.samples), \
		COLUMN(IN_DATA, "weight", struct profile_sums, self.weight)

#define PROFILE_TOTAL_COLUMNS                                                         \
	COLUMN(IN_DATA, "total-share", struct profile_sums, total_share),             \
		COLUMN(IN_DATA, "total-samples", struct profile_sums, total.samples), \
		COLUMN(IN_DATA, "total-weight", struct profile_sums, total.weight)

#define PROFILE_FUNC_COLUMNS                                         \
	COLUMN(IN_DATA, "prog-id", struct code_row, prog_id),        \
		COLUMN(IN_DATA, "prog", struct code_row, prog_name), \
		COLUMN(IN_DATA, "function", struct code_row, func)

/* The sums, for tables. */
#define PROFILE_TABLE_COLUMNS(...)                                                             \
	COLUMN(IN_TABLE, "total", struct profile_sums, total_share, .width = 8, __VA_ARGS__),  \
		COLUMN(IN_TABLE, "samples", struct profile_sums, total.samples, .width = 8,    \
		       __VA_ARGS__),                                                           \
		COLUMN(IN_TABLE, "self", struct profile_sums, share, .width = 8, __VA_ARGS__), \
		COLUMN(IN_TABLE, "samples", struct profile_sums, self.samples, .width = 8,     \
		       __VA_ARGS__)

#endif
