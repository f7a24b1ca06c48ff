/* SPDX-License-Identifier: GPL-2.0-only */
/* Data that prog_refs.bpf.c sends to util/count/prog/prog-refs.c. */
#ifndef PSTAT_PROG_REFS_H
#define PSTAT_PROG_REFS_H

/* A loaded program. */
struct prog_ref {
	__u32 id;
	__u32 unused;
	__u64 refs; /* number of references, not counting the iterator's own */
};

_Static_assert(sizeof(struct prog_ref) == 16, "same layout on both sides, no holes");

#endif
