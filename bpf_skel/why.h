/* SPDX-License-Identifier: GPL-2.0-only */
/* Data that util/count/why/ and why.bpf.c share: the kernel functions that returned an error. */
#ifndef PSTAT_BPF_WHY_H
#define PSTAT_BPF_WHY_H

/*
 * The maximum number of returns with an error that are recorded in one system call. The program
 * ignores later returns.
 */
#define WHY_SEEN_MAX 1024

/* The branches before a return are stored only for the first WHY_BRANCHES_KEPT returns. */
#define WHY_BRANCHES_KEPT 64

struct why_return {
	/* index in the list `names` of struct why_watch (util/count/why/why-watch.c) */
	__u32 function;
	__s32 value; /* a negative errno */
};

#endif
