/* SPDX-License-Identifier: GPL-2.0-only */
/* Returns of kernel functions that the program of `pstat why` has seen. */
#ifndef PSTAT_BPF_WHY_H
#define PSTAT_BPF_WHY_H

/* More functions than perf_event_open(2) calls. */
#define WHY_SEEN_MAX 1024

/* The number of returns for which the branches are kept. */
#define WHY_BRANCHES_KEPT 64

struct why_return {
	__u32 function; /* its index in the list of functions to which the program is attached */
	__s32 value;	/* a negative errno */
};

#endif
