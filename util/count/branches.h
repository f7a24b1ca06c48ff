/* SPDX-License-Identifier: GPL-2.0-only */
/* The most recent branches, as recorded by the CPU (LBR on x86, BRBE on arm64). */
#ifndef PSTAT_COUNT_BRANCHES_H
#define PSTAT_COUNT_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/branches.h"

struct branch {
	uint64_t from, to; /* addresses */
	bool mispredicted;
	uint32_t cycles; /* CPU cycles between the previous branch and this branch; 0: unknown */
};

/*
 * Decodes the branches in @block and stores them in @list in the order of execution. @list must
 * have room for BRANCHES_MAX entries. Skips entries without addresses. Returns the number of
 * branches in @list, or -errno: -EPROTO if @block->size is invalid, or the error of the BPF helper
 * that filled @block, for example -ENOENT if the CPU has no branch records.
 */
int branches__decode(const struct branch_block *block, struct branch *list);

/* Describes an error from branches__decode(), or from opening the events that record branches. */
const char *branches__strerror(int err);

#endif
