/* SPDX-License-Identifier: GPL-2.0-only */
/* What the reader of references and util/count/prog/prog-refs.c both see. */
#ifndef PSTAT_PROG_REFS_H
#define PSTAT_PROG_REFS_H

/* Of one loaded program. */
struct prog_ref {
	__u32 id;
	__u32 unused;
	__u64 refs; /* references to it; that which the kernel takes to look at it is left out */
};

_Static_assert(sizeof(struct prog_ref) == 16, "same layout on both sides, no holes");

#endif
