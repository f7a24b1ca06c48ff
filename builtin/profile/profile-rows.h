/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns samples in BPF programs into rows, one for each source line, and counts what became of all samples. */
#ifndef PSTAT_BUILTIN_PROFILE_ROWS_H
#define PSTAT_BUILTIN_PROFILE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/profile/sample-table.h"

struct counts_set;
struct sampling;

/* Of an event: where samples fell: a function and, where it is known, a line. Strings are not owned. */
struct profile_row {
	int event;
	struct sample_sum self; /* in the code of the line itself */
	/* in the line and in what it called: helpers and other kernel functions, BPF functions */
	struct sample_sum total;
	double share, total_share; /* percent of the weight of the event's samples in all programs and their callees */

	int prog; /* its place among the programs */
	uint32_t prog_id;
	const char *prog_name, *func;
	const char *file, *text; /* "" where they are not known */
	uint32_t line;		 /* 0: not known */
};

/* Of an event: what became of all of its samples. */
struct profile_totals {
	uint64_t samples; /* taken */
	uint64_t weight;  /* what the event counted for them */
	uint64_t kept;	  /* of them are in the rows */
	uint64_t kept_weight;
	/* kept samples that are in the code of the chosen programs itself, not in what it called */
	uint64_t self;
	uint64_t elsewhere;	   /* samples neither in the chosen programs nor in what these call */
	uint64_t no_room;	   /* … found the map full */
	uint64_t busy;		   /* … found its lock held */
	uint64_t no_stack;	   /* samples whose stack the kernel could not walk */
	uint64_t missed;	   /* were not taken: that many more would go with what the event counted */
	uint64_t enabled, running; /* ns */
	uint64_t count;		   /* of the event, by its fds */
};

struct profile_rows {
	int nr;
	struct profile_row *rows; /* by event, then the largest total first */
	int nr_events;
	struct profile_totals *totals; /* [event] */
};

/*
 * Of @sampling->profile, since the start, or (@delta) since the last profile__mark(); @counts likewise. Rows without samples are left
 * out. 0 and @rows, or -ENOMEM.
 */
int profile_rows__make(const struct sampling *sampling, const struct counts_set *counts, bool delta,
		       struct profile_rows *rows);
void profile_rows__free(struct profile_rows *rows);

#endif
