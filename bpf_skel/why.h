/* SPDX-License-Identifier: GPL-2.0-only */
/* Data that util/count/why/ and why.bpf.c share: the kernel functions that returned an error. */
#ifndef PSTAT_BPF_WHY_H
#define PSTAT_BPF_WHY_H

/*
 * The maximum number of returns with an error that are recorded. In one perf_event_open(2), the
 * kernel calls fewer functions than this.
 */
#define WHY_SEEN_MAX 1024

/* The number of returns whose branches are kept. */
#define WHY_BRANCHES_KEPT 64

struct why_return {
	__u32 function; /* index in the list of functions to which the program is attached */
	__s32 value;	/* a negative errno */
};

#endif
