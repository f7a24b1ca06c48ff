/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs that the user selects with `pstat profile -b`, and their code. pstat keeps the
 * programs open, so that no other code can be loaded at their addresses.
 */
#ifndef PSTAT_COUNT_PROFILE_PROGS_H
#define PSTAT_COUNT_PROFILE_PROGS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf_skel/profile.h"

struct bpf_code;
struct profile_progs;
struct prog_selection;
struct strbuf;

/* A selected program. The strings and the code belong to struct profile_progs. */
struct profile_prog {
	uint32_t id;
	const char *name;
	const struct bpf_code *code;
	int func; /* index of the selected function (ID:FUNCTION); -1: all functions */
};

/*
 * The location of one frame of a sample. The flags `is_...` say to which sums of the report the
 * sample is added.
 */
struct profile_place {
	uint64_t ip;
	int prog; /* index for profile_progs__at() */
	int func; /* index of the function in the program's code */
	int line; /* index of the line in the program's code; -1: unknown */
	/* true: the sample was taken here; false: this code called the sampled code */
	bool is_self;
	/*
	 * No inner frame of this sample is on the same line of the same function. Only a frame with
	 * this flag adds the sample to the line, so that a recursive function does not add a sample
	 * to a line twice.
	 */
	bool is_first_line;
	bool is_first_func; /* no inner frame of this sample is in the same function */
};

/* Finds the programs and reads their code. Returns 0, or -errno with the reason in @why. */
int profile_progs__find(const struct prog_selection *selection, struct profile_progs **progs,
			struct strbuf *why);
void profile_progs__free(struct profile_progs *progs);

int profile_progs__nr(const struct profile_progs *progs);
struct profile_prog profile_progs__at(const struct profile_progs *progs, int prog);

/* Returns the number of address ranges of all selected functions. */
uint32_t profile_progs__nr_ranges(const struct profile_progs *progs);
/* Returns the address range with the index @nr. Ranges are sorted by address. */
struct profile_range profile_progs__range(const struct profile_progs *progs, uint32_t nr);

/*
 * Stores the locations of @frames in @places, the innermost frame first. Omits frames outside the
 * selected functions. Returns the number of stored locations.
 */
int profile_progs__locate(const struct profile_progs *progs, const struct profile_frames *frames,
			  struct profile_place places[PROFILE_MOST_FRAMES]);

#endif
