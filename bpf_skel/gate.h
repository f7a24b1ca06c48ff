/* SPDX-License-Identifier: GPL-2.0-only */
/* Definitions that the BPF side of --start and --stop and util/count/gate.h share. */
#ifndef PSTAT_GATE_H
#define PSTAT_GATE_H

#ifndef __bpf__ /* for BPF programs, vmlinux.h defines the types */
#include <linux/types.h>
#endif

/*
 * pstat counts while the gate is open. Programs at the points of --start and --stop open and close
 * it, while the session is enabled. Without these options, user space sets `phase`.
 */
struct gate {
	__u32 armed;   /* the session is enabled: the points are obeyed. Written by user space */
	__u32 lock;    /* 1: somebody changes the gate */
	__u32 phase;   /* 0: closed; otherwise a number above 1 that each opening changes */
	__u32 opened;  /* number of times that the gate was opened */
	__u32 closed;  /* number of times that a point or the end of the session closed it */
	__u32 inexact; /* points at which the counters of the CPU could not be read */
	__u64 since;   /* CLOCK_MONOTONIC, ns: when it was opened last */
	/*
	 * GATE_CLOCK(): one word, so that readers on other CPUs never see half of a change. Open:
	 * the time from which it would have been open if it had not been closed in between; closed:
	 * for how long it was open
	 */
	__u64 clock;
};

#define GATE_CLOCK(ns, is_open) ((ns) << 1 | (is_open))

/* Returns for how long the gate was open until @now, in ns. */
static inline __attribute__((always_inline)) __u64 gate_time_of(__u64 clock, __u64 now)
{
	__u64 ns = clock >> 1;

	return !(clock & 1) ? ns : now > ns ? now - ns : 0;
}

/* The cookie of a program at a point. */
#define GATE_START 0
#define GATE_STOP 1

_Static_assert(sizeof(struct gate) == 40, "same layout on both sides, no holes");

#endif
