/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was sampled, as rows, and the columns of each kind of row (util/report/column.h).
 *
 *	profile-report.c	totals of each event, and what all rows have in common
 *	profile-lines.c		with -b: lines of BPF programs
 *	code-rows.c		with --annotate: the whole code of BPF programs
 *	stack-rows.c		without -b: stacks, and the functions in them
 *	stack-columns.c		the columns of these
 *
 * Strings are not owned by the rows. In tables, the columns of totals and of losses are comments.
 */
#ifndef PSTAT_REPORT_PROFILE_REPORT_H
#define PSTAT_REPORT_PROFILE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/count/profile/sample-table.h"
#include "util/machine/code-names.h"
#include "util/report/column.h"

struct bpf_code;
struct counts_set;
struct profile_report;
struct sampling;
struct stack_namer;

/* The first member of each row. */
struct row_event {
	int nr; /* index of the event */
	const char *name;
};

/* The first member of a row that stands for code. */
struct profile_sums {
	struct row_event event;
	struct sample_sum self;	   /* samples in the code itself */
	struct sample_sum total;   /* samples in the code and in what it called */
	double share, total_share; /* percent of the weight of all kept samples of the event */
};

/* What became of all samples of an event. */
struct profile_totals {
	struct row_event event;
	const struct profile_report *report;
	uint64_t samples;     /* taken */
	uint64_t weight;      /* what the event counted for them */
	uint64_t kept;	      /* samples in rows, and their weight */
	uint64_t kept_weight; /* ... */
	/* kept samples in the code of the chosen programs itself, not in what it called */
	uint64_t self;
	uint64_t elsewhere; /* samples neither in the chosen programs nor in what these call */
	/* samples that were not kept, because the map was full, or its lock was held */
	uint64_t no_room, busy;
	uint64_t no_stack; /* samples whose stack the kernel could not walk */
	/* samples that were not taken: expected from the event's count, minus those taken */
	uint64_t missed;
	uint64_t enabled, running; /* ns */
	uint64_t count;		   /* the count of the event's fds */

	/* Without -b, what is unknown about the stacks: */
	uint64_t collided, no_stack_room, failed; /* as in struct profile_stack_fate */
	uint64_t cut;				  /* samples whose stack has too many frames for the kernel */
	uint64_t unnamed;			  /* samples in code without a name */
	uint64_t lost_mappings;
};

enum code_row_kind {
	CODE_FUNC,    /* a function begins; its samples are those of what follows */
	CODE_SOURCE,  /* a line of source */
	CODE_INSN,    /* an instruction, if there is no source */
	CODE_MACHINE, /* machine code whose instruction is unknown */
};

/* A piece of the code of a BPF program. The total includes helpers, and other functions. */
struct code_row {
	struct profile_sums sums;
	enum code_row_kind kind;
	int prog; /* index of the program */
	uint32_t prog_id;
	const char *prog_name, *func;
	const struct bpf_code *code;
	const char *file, *text; /* of a line of source; otherwise "" */
	bool begins_file;	 /* the line before it in the function is of another file */
	uint32_t line;		 /* 0: unknown */
	uint32_t insn;		 /* index of the instruction, or offset of machine code in func */
};

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
	struct code_name *names; /* the outermost first; owned */
};

/* The first five members are set by the caller, who makes the totals first, and zeroes the rest. */
struct profile_report {
	const struct sampling *sampling; /* and its profile */
	const struct counts_set *counts; /* the events' own counts */
	bool is_interval;		 /* samples since the last profile__mark(), not all */
	uint64_t time_ns;		 /* when the interval ended */
	struct stack_namer *namer;	 /* without -b */
	struct profile_totals *totals;	 /* [event] */
	int nr_lines, nr_code, nr_symbols, nr_stacks;
	/*
	 * Lines with samples, or functions whose lines are unknown, by event, then the largest
	 * total first; and all code, by event, program, function, then in its own order.
	 */
	struct code_row *lines;
	struct code_row *code;
	struct symbol_row *symbols; /* by event, then the largest weight of its own first */
	struct stack_row *stacks;   /* by event, then by comm and frames */
};

/* Each returns 0 or -ENOMEM. Rows without samples are left out, except those of code. */
int profile_report__make_totals(struct profile_report *report);
int profile_report__make_lines(struct profile_report *report);
int profile_report__make_code(struct profile_report *report);
int profile_report__make_stacks(struct profile_report *report); /* and functions */
void profile_report__free(struct profile_report *report);

/*
 * Finds the names in the profile, which must outlive it. @lines: source lines too. The kernel's
 * names are read when the first one is needed. Returns NULL without memory.
 */
struct stack_namer *stack_namer__new(const struct sampling *sampling, bool lines);
/* Returns why the kernel's functions are unknown, or NULL. */
const char *stack_namer__kernel_error(const struct stack_namer *namer);
void stack_namer__free(struct stack_namer *namer);

/* ---- columns ---- */

extern const struct column profile_totals_columns[], profile_losses_columns[];
extern const struct column profile_line_columns[];
extern const struct column code_title_columns[];		    /* the program, as a comment */
extern const struct column code_source_columns[];		    /* the heading of tables */
extern const struct column symbol_columns[], symbol_line_columns[]; /* ... with --lines */
extern const struct column stack_columns[];

/* The columns of a struct code_row depend on its kind. */
const struct column *code_row__columns(const struct code_row *row);
/*
 * Most functions only call others. Tables have only those of them that are a large part of the
 * whole; CSV and JSON have all. @row: struct symbol_row
 */
bool symbol_row__is_in_tables(const void *row);

/* ---- for the files of this folder ---- */

/* The samples at @place of the profile's table. */
struct sample_sum profile_report__at(const struct profile_report *report, uint32_t place);
struct row_event profile_report__event(const struct profile_report *report, int event);

/*
 * Sorts @nr rows of @size bytes by @compare, and merges those that it finds equal: their samples
 * are added up. Returns the number of rows that are left.
 */
int profile_sums__merge(void *rows, int nr, size_t size, int (*compare)(const void *left, const void *right));
/* Fills in the shares. @totals: [event]. */
void profile_sums__share_out(void *rows, int nr, size_t size, const struct profile_totals *totals);
/* Orders rows by event, then the larger sum first. Returns 0 if all are equal. */
int profile_sums__compare(const struct profile_sums *a, const struct profile_sums *b, bool self_first);

/* Returns a row without samples. */
struct code_row code_row__of(const struct profile_report *report, int event, int prog, int func);

/* Returns the name of a file without its folders. */
const char *profile_base_name(const char *path);

/* Columns for programs: what kind of row it is, and the event. */
#define PROFILE_KIND_COLUMNS(kind_name) \
	COLUMN_BY(IN_DATA, "kind", COLUMN_WORD, .word = (kind_name)), COLUMN(IN_DATA, "event", struct row_event, name)

#define PROFILE_SELF_COLUMNS                                                   \
	COLUMN(IN_DATA, "share", struct profile_sums, share),                  \
		COLUMN(IN_DATA, "samples", struct profile_sums, self.samples), \
		COLUMN(IN_DATA, "weight", struct profile_sums, self.weight)

#define PROFILE_TOTAL_COLUMNS                                                         \
	COLUMN(IN_DATA, "total-share", struct profile_sums, total_share),             \
		COLUMN(IN_DATA, "total-samples", struct profile_sums, total.samples), \
		COLUMN(IN_DATA, "total-weight", struct profile_sums, total.weight)

#define PROFILE_FUNC_COLUMNS                                                                                       \
	COLUMN(IN_DATA, "prog-id", struct code_row, prog_id), COLUMN(IN_DATA, "prog", struct code_row, prog_name), \
		COLUMN(IN_DATA, "function", struct code_row, func)

/* Columns of tables. */
#define PROFILE_TABLE_COLUMNS(...)                                                                        \
	COLUMN(IN_TABLE, "total", struct profile_sums, total_share, .width = 8, __VA_ARGS__),             \
		COLUMN(IN_TABLE, "samples", struct profile_sums, total.samples, .width = 8, __VA_ARGS__), \
		COLUMN(IN_TABLE, "self", struct profile_sums, share, .width = 8, __VA_ARGS__),            \
		COLUMN(IN_TABLE, "samples", struct profile_sums, self.samples, .width = 8, __VA_ARGS__)

#endif
