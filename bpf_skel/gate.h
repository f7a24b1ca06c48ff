/* SPDX-License-Identifier: GPL-2.0-only */
/* Data that util/count/gate.h and the BPF programs of --start and --stop share. */
#ifndef PSTAT_GATE_H
#define PSTAT_GATE_H

#ifndef __bpf__ /* for BPF programs, vmlinux.h defines the types */
#include <linux/types.h>
#endif

/*
 * pstat counts while the gate is open. While the session is enabled, programs at the points of
 * --start and --stop open and close the gate. Without these options, only -b and --scope use the
 * gate, and user space opens and closes it by writing `phase`.
 */
struct gate {
	/* 1: the session is enabled, so points change the gate; written by user space */
	__u32 armed;
	__u32 lock; /* 1: a thread is changing the gate */
	/*
	 * 0: the gate is closed; otherwise a number that changes when the gate is opened, or when
	 * user space drops the runs (of a BPF program or scope) that are in progress
	 */
	__u32 phase;
	/*
	 * how many times the gate was opened, plus how many times user space dropped the runs in
	 * progress
	 */
	__u32 opened;
	__u32 closed; /* how many times a point or user space closed the gate */
	/*
	 * how many times a thread passed a point and could not take the lock (the gate then did not
	 * change), or could not read the counters of its CPU (the counts are then estimated)
	 */
	__u32 inexact;
	__u64 since; /* CLOCK_MONOTONIC, ns: when the gate was last opened */
	/*
	 * GATE_CLOCK(ns, is_open); a single 64-bit variable, so that other CPUs never read an
	 * incomplete change. While the gate is closed, `ns` is the total time for which it has been
	 * open. While it is open, `ns` is `since` minus the total time for which the gate had been
	 * open before `since`
	 */
	__u64 clock;
};

#define GATE_CLOCK(ns, is_open) ((ns) << 1 | (is_open))

/* Returns the total time for which the gate was open before @now, in ns. */
static inline __attribute__((always_inline)) __u64 gate_time_of(__u64 clock, __u64 now)
{
	__u64 ns = clock >> 1;

	return !(clock & 1) ? ns : now > ns ? now - ns : 0;
}

/* The BPF cookies of the programs at points of --start and --stop. */
#define GATE_START 0
#define GATE_STOP 1

_Static_assert(sizeof(struct gate) == 40, "same layout on both sides, no holes");

#endif
