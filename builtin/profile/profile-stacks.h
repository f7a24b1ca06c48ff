/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples with their stacks as rows: by function (or source line), and stack by stack. */
#ifndef PSTAT_BUILTIN_PROFILE_STACKS_H
#define PSTAT_BUILTIN_PROFILE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/profile/sample-table.h"
#include "util/machine/code-names.h"

struct profile;
struct stack_namer;

/* A function or, if lines were asked for, one of its lines; all code of an object that has no name is one row. */
struct symbol_row {
	int event;
	struct code_name name;
	struct sample_sum self;	   /* were in it */
	struct sample_sum total;   /* … or in what it called */
	double share, total_share; /* percent of the weight of the event's samples */
};

/* Samples that had the same frames, of the same process and name. */
struct stack_row {
	int event;
	uint32_t pid;
	char comm[16];
	struct sample_sum sum;
	int nr;
	struct code_name *names; /* the outermost first */
};

/* Of an event. */
struct stack_losses {
	uint64_t unnamed; /* samples in code without a name */
	uint64_t cut;	  /* samples with a stack that goes on beyond the kernel's limit */
};

struct stack_rows {
	int nr_symbols;
	struct symbol_row *symbols; /* by event, then the most weight of its own first */
	int nr_stacks;
	struct stack_row *stacks; /* by event, then by comm and frames */
	int nr_events;
	struct stack_losses *losses; /* [event] */
};

/* Who knows the names in @profile, which must outlive it; the kernel's are read at the first need. NULL without memory. */
struct stack_namer *stack_namer__new(const struct profile *profile, bool lines);
void stack_namer__free(struct stack_namer *namer);

/* Since the start, or (@delta) since the last profile__mark(). 0 and @rows, or -ENOMEM. */
int stack_rows__make(const struct profile *profile, struct stack_namer *namer, bool delta, struct stack_rows *rows);
void stack_rows__free(struct stack_rows *rows);

/* In place of a function's name in a stack. */
#define STACK_LOST "[stack lost]"

#endif
