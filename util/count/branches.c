// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/branches.h"

#include <errno.h>
#include <string.h>

/*
 * The layout of branch_entry.flags, which contains the bit fields of struct perf_branch_entry (uapi
 * linux/perf_event.h).
 */
#define IS_MISPREDICTED 1ULL
#define CYCLES_SHIFT 4
#define CYCLES_MASK 0xffffULL

int branches__decode(const struct branch_block *block, struct branch *list)
{
	int nr = 0;

	if (block->size < 0)
		return block->size < -4095 ? -EPROTO : (int)block->size;
	if (block->size > (__s64)sizeof(block->entries) ||
	    block->size % (__s64)sizeof(block->entries[0]))
		return -EPROTO;
	for (int i = (int)(block->size / (__s64)sizeof(block->entries[0])) - 1; i >= 0; i--) {
		const struct branch_entry *entry = &block->entries[i];

		if (!entry->from && !entry->to)
			continue;
		list[nr++] = (struct branch){
			.from = entry->from,
			.to = entry->to,
			.mispredicted = entry->flags & IS_MISPREDICTED,
			.cycles = (uint32_t)(entry->flags >> CYCLES_SHIFT & CYCLES_MASK),
		};
	}
	return nr;
}

const char *branches__strerror(int err)
{
	switch (err) {
	/* no PMU, or a PMU that cannot record branches */
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
		return "this CPU has no branch records";
	case -EBUSY:
		return "the branch records of this CPU are in use (EBUSY)";
	default:
		return strerror(-err);
	}
}
