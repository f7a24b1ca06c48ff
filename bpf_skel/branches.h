/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The branches that the CPU recorded last (LBR on x86, BRBE on arm64), as the helper
 * bpf_get_branch_snapshot() stores them.
 */
#ifndef PSTAT_BRANCHES_H
#define PSTAT_BRANCHES_H

/* x86 CPUs have at most 32 branch records. BRBE can have 64 records; pstat reads the latest 32. */
#define BRANCHES_MAX 32

/*
 * Layout of the kernel's struct perf_branch_entry. `flags` contains the bit fields of the kernel's
 * struct.
 */
struct branch_entry {
	__u64 from, to;
	__u64 flags;
};

/* The latest branch is first. */
struct branch_block {
	__s64 size; /* size in bytes of the used entries, or -errno */
	struct branch_entry entries[BRANCHES_MAX];
};

_Static_assert(sizeof(struct branch_entry) == 24, "as in the kernel");

#endif
