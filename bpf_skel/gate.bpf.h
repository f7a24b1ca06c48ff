/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate of --start and --stop. pstat counts while the gate is open. When a thread passes a point
 * of --start or --stop, a BPF program opens or closes the gate with this code:
 *
 *	if (!gate_changes(stop) || !gate_lock())
 *		return 0;
 *	if (gate_changes(stop))
 *		gate_turn(stop, now);
 *	gate_unlock();
 *
 * -b and --scope count a run only if the gate is open during the whole run (gate_runs.bpf.h), and
 * `pstat profile` ignores samples while the gate is closed. With --bpf-counters or
 * --for-each-cgroup, the program at the point reads only the counters of its own CPU, and `now` is
 * the time of this reading. On another CPU, the change takes effect at the next reading. The counts
 * since the previous reading are then multiplied by a share: the fraction of the time between the
 * two readings during which the gate was open (see gate_share()).
 */
#ifndef PSTAT_GATE_BPF_H
#define PSTAT_GATE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "gate.h"

/* Written by BPF programs and by user space, which maps the variable into its memory. */
volatile struct gate gate SEC(".data.gate") = {};

#ifndef GATE_MESSAGES
#define GATE_MESSAGES gate_changed
/*
 * Receives a message for each change of the gate, so that user space wakes up. The 8 bytes of the
 * message have no meaning.
 */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} gate_changed SEC(".maps");
#endif

/*
 * Returns whether a point of --stop (or of --start, if @stop is false) changes the gate now. For
 * example, a point of --start does not change an open gate.
 */
static __always_inline bool gate_changes(bool stop)
{
	return gate.armed && stop == (gate.phase != 0);
}

/*
 * The maximum number of attempts by gate_lock() to take the lock. The thread that holds the lock
 * can be preempted. Other threads then give up after GATE_TRIES attempts, and do not change the
 * gate.
 */
#define GATE_TRIES 1024

static __always_inline bool gate_lock(void)
{
	for (__u32 i = 0; i < GATE_TRIES; i++)
		if (!__sync_val_compare_and_swap(&gate.lock, 0, 1))
			return true;
	__sync_fetch_and_add(&gate.inexact, 1);
	return false;
}

static __always_inline void gate_unlock(void)
{
	void *message;

	__sync_val_compare_and_swap(&gate.lock, 1, 0);
	message = bpf_ringbuf_reserve(&GATE_MESSAGES, 8, 0);
	if (message)
		bpf_ringbuf_submit(message, 0);
}

/* Opens or closes the gate as of @now, in ns. */
static __always_inline void gate_turn(bool stop, __u64 now)
{
	if (stop) {
		gate.clock = GATE_CLOCK(gate_time_of(gate.clock, now), 0);
		gate.phase = 0;
		gate.closed++;
	} else if (gate.armed) { /* user space can clear `armed` without the lock */
		gate.since = now;
		gate.clock = GATE_CLOCK(now - gate_time_of(gate.clock, now), 1);
		/*
		 * User space first clears `armed` and then reads `phase`. This program first writes
		 * `phase` and then reads `armed`. So at least one of them sees the other's change,
		 * and closes the gate.
		 */
		__sync_lock_test_and_set(&gate.phase, ++gate.opened + 1);
		if (!gate.armed) {
			gate.clock = GATE_CLOCK(gate_time_of(gate.clock, now), 0);
			gate.phase = 0;
			gate.closed++;
		}
	}
}

/* Returns the total time for which the gate was open before @now, in ns. */
static __always_inline __u64 gate_time(__u64 now)
{
	return gate_time_of(gate.clock, now);
}

#define GATE_WHOLE (1 << 20)

/* Returns @part / @length, but at most 1, in units of 2^-20. */
static __always_inline __u64 gate_share(__u64 part, __u64 length)
{
	if (part >= length)
		return GATE_WHOLE;
	if (length >> 44) { /* several hours: shifting left by 20 bits would overflow */
		part >>= 20;
		length >>= 20;
	}
	return (part << 20) / length;
}

/*
 * Returns @delta × @share / 2^20, rounded to the nearest integer. If the result were rounded down,
 * even a share of nearly 1 would reduce every small count.
 */
static __always_inline __u64 gate_scale(__u64 delta, __u64 share)
{
	return (delta >> 20) * share + (((delta & ((1 << 20) - 1)) * share + (1 << 19)) >> 20);
}

#endif
