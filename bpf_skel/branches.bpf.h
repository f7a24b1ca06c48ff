/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies the branches that the CPU recorded last. The branches of a BPF program overwrite these
 * records, so the program must call branches_take() as early as possible.
 */
#ifndef PSTAT_BRANCHES_BPF_H
#define PSTAT_BRANCHES_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "branches.h"

/* set before load; nonzero: the programs copy the branches */
const volatile __u32 takes_branches = 0;

static __always_inline void branches_take(struct branch_block *block)
{
	block->size = bpf_get_branch_snapshot(block->entries, sizeof(block->entries), 0);
}

#endif
