/* SPDX-License-Identifier: GPL-2.0-only */
/* The code of the programs with the samples beside it, as --annotate shows it. */
#ifndef PSTAT_BUILTIN_PROFILE_NOTES_H
#define PSTAT_BUILTIN_PROFILE_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/profile/sample-table.h"

struct profile;

enum profile_note_kind {
	NOTE_FUNC,   /* a function begins; its samples are those of what follows */
	NOTE_SOURCE, /* a line of source */
	NOTE_INSN, /* an instruction, where there is no source; samples are with the first of those that they may belong to */
	NOTE_CODE, /* machine code that no instruction is known for: @insn is the offset in the function */
};

/* Strings are not owned. */
struct profile_note {
	enum profile_note_kind kind;
	int event;
	int prog;		       /* index of the program */
	int func;		       /* index of the function in the program's code */
	struct sample_sum self, total; /* without and with the code that it called */
	double share, total_share; /* percent of the weight of the event's samples in all programs and their callees */
	const char *file, *text;   /* of a line of source; "" otherwise */
	uint32_t line;
	uint32_t insn;
};

struct profile_notes {
	int nr;
	struct profile_note *notes; /* by event, program, function, then as the code goes */
	bool failed;		    /* for want of memory */
};

/*
 * All code of the programs that have samples, since the start or (@delta) since the last profile__mark(). 0 and @notes, or -ENOMEM.
 */
int profile_notes__make(const struct profile *profile, bool delta, struct profile_notes *notes);
void profile_notes__free(struct profile_notes *notes);

#endif
