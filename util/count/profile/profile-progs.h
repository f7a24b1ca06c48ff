/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs that -b of `pstat profile` chooses, and their code. They are held open: no other code comes to their addresses. */
#ifndef PSTAT_COUNT_PROFILE_PROGS_H
#define PSTAT_COUNT_PROFILE_PROGS_H

#include <linux/types.h>
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

/* Where an address is. */
struct profile_place {
	int prog;
	int func; /* of its code */
	int line; /* of its code; -1: not known */
};

/* Finds them and reads their code. 0 and *@progs, or -errno, told. */
int profile_progs__find(const struct prog_selection *selection, struct profile_progs **progs);
void profile_progs__free(struct profile_progs *progs);

int profile_progs__nr(const struct profile_progs *progs);
struct profile_prog profile_progs__at(const struct profile_progs *progs, int prog);

/* The code of all that is meant, by address; the lowest and the end of the highest. */
uint32_t profile_progs__nr_ranges(const struct profile_progs *progs);
struct profile_range profile_progs__range(const struct profile_progs *progs, uint32_t nr);

/* 0 and @place; -ENOENT when @ip is in none of them. */
int profile_progs__locate(const struct profile_progs *progs, uint64_t ip, struct profile_place *place);

#endif
