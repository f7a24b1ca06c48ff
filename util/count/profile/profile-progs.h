/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs that -b of `pstat profile` chooses, and their code. They are held open: no other code comes to their addresses. */
#ifndef PSTAT_COUNT_PROFILE_PROGS_H
#define PSTAT_COUNT_PROFILE_PROGS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf_skel/profile.h"

struct bpf_code;
struct profile_progs;
struct prog_selection;

/* Strings and code are the progs'. */
struct profile_prog {
	uint32_t id;
	const char *name;
	const struct bpf_code *code;
	int func; /* the only one that is meant (ID:FUNCTION), by its place; -1: all */
};

/* A frame of samples: where it is, and what the samples count for there. */
struct profile_place {
	uint64_t ip;
	int prog;
	int func;     /* of its code */
	int line;     /* of its code; -1: not known */
	bool is_self; /* the samples are of this very place; otherwise of what it called */
	bool is_first_line; /* no frame further in is of the same line, so that a line which calls itself counts a sample once */
	bool is_first_func; /* … of the same function */
};

/* Finds them and reads their code. 0 and *@progs, or -errno, told. */
int profile_progs__find(const struct prog_selection *selection, struct profile_progs **progs);
void profile_progs__free(struct profile_progs *progs);

int profile_progs__nr(const struct profile_progs *progs);
struct profile_prog profile_progs__at(const struct profile_progs *progs, int prog);

/* The code of all that is meant, by address; the lowest and the end of the highest. */
uint32_t profile_progs__nr_ranges(const struct profile_progs *progs);
struct profile_range profile_progs__range(const struct profile_progs *progs, uint32_t nr);

/* Locates each of the frames, the innermost first. Returns their number: those in none of the programs are left out. */
int profile_progs__locate(const struct profile_progs *progs, const struct profile_frames *frames,
			  struct profile_place places[PROFILE_MOST_FRAMES]);

#endif
