/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a thread has counted until now.
 *
 * A counter belongs to a CPU, but a thread loses its CPU and moves to others. So each thread that
 * has a run in progress has a row `base`: while the thread runs, the sum of the counter and the
 * base is what the thread has counted since its outermost run began (plus a constant).
 *
 *	switched out	base += counter of the CPU that the thread leaves
 *	switched in	base -= counter of the CPU that the thread gets
 *
 * The program at a context switch changes only the base, and the number of switches. The programs
 * at the points change everything else. The two never write the same data, so a thread may lose its
 * CPU in the middle of a point: the number of switches then shows that a reading has to be
 * repeated.
 */
#ifndef PSTAT_SCOPE_READ_BPF_H
#define PSTAT_SCOPE_READ_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "perf_read.bpf.h"
#include "scope.h"

/* set before load */
const volatile struct scope_words shape = {};
const volatile __u64 row_size = 8; /* size in bytes of a row of shape.words words */
const volatile __u32 nr_cpus = 1;  /* largest possible CPU id + 1 */
/* event × nr_cpus + CPU id → perf event, plain events first. Written by user space, read here. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} events SEC(".maps");

/* The state of each thread that has had a run. User space sets the size of the value. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct scope_task);
} threads SEC(".maps");

/* 0 → the counters at a context switch. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
	__uint(max_entries, 1);
} at_switch SEC(".maps");

/*
 * Returns the row @nr. In Linux 6.1, the verifier keeps the bounds of a product only if its right
 * factor is the known one. C does not let us choose the order, so the product is in assembly.
 */
static __always_inline __u64 *row(struct scope_task *t, __u64 nr)
{
	__u64 offset = nr;

	asm("%0 *= %1" : "+r"(offset) : "r"(row_size));
	return (void *)(t + 1) + offset;
}

/* ---- readings ---- */

static __always_inline long take_plain(__u64 *to, __u32 key)
{
	__u64 count = bpf_perf_event_read(&events, key);
	long err = 0;

	if (is_read_error(count)) {
		err = count != (__u64)-ENOENT;
		count = 0;
	}
	*to = count;
	return err;
}

/*
 * Fills the row @to with the counters of this CPU. Each event should include as little as possible
 * of the cost of reading the others, so events are read in the opposite order at the beginning of a
 * run. Sets *@unread if a counter could not be read. The result is kept in memory: a flag in a
 * register would make the verifier examine all events both with and without an error.
 */
static __always_inline void take(__u64 *to, bool backwards, __u32 *unread)
{
	__u32 cpu_id = bpf_get_smp_processor_id(), nr = shape.plain + shape.timed;
	__u64 *plain = to + shape.wall + shape.clock, *timed = plain + shape.plain;
	__u64 now;

	if (!backwards && shape.wall + shape.clock) {
		now = bpf_ktime_get_ns();
		to[0] = now;
		if (shape.wall + shape.clock > 1)
			to[1] = now;
	}
	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < nr; i++) {
		__u32 event = backwards ? nr - 1 - i : i, key = cpu_id + event * nr_cpus;

		if (event < shape.plain) {
			if (take_plain(plain + event, key))
				*unread = 1;
		} else {
			long err = bpf_perf_event_read_value(
				&events, key, (void *)(timed + 3 * (event - shape.plain)),
				sizeof(struct bpf_perf_event_value));

			/* after an error the helper has zeroed the value */
			if (err && err != -ENOENT)
				*unread = 1;
		}
	}
	if (backwards && shape.wall + shape.clock) {
		now = bpf_ktime_get_ns();
		to[0] = now;
		if (shape.wall + shape.clock > 1)
			to[1] = now;
	}
}

/*
 * If the thread loses its CPU between two tries, it gets it back with a new time slice. So the
 * second try is very likely to succeed.
 */
#define TRIES 8

/* Fills the row @nr of @t with what the thread has counted. Returns false if this is not known. */
static __always_inline bool read_thread(struct scope_task *t, __u32 nr, bool backwards)
{
	__u64 *to = row(t, nr), *base = row(t, SCOPE_ROW_BASE);

	t->unread = 0;
	for (__u32 try = 0; try < TRIES; try++) {
		__u32 switches = *(volatile __u32 *)&t->switches;

		barrier();
		take(to, backwards, &t->unread);
		for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < shape.words; i++)
			to[i] += base[i];
		barrier();
		if (*(volatile __u32 *)&t->switches == switches)
			return !t->unread;
	}
	return false;
}

/*
 * Called at a context switch for both threads. The wall time advances while a thread waits. Some
 * kernels do not report every context switch, which shows when the thread is switched out twice, or
 * passes a point while it should be away.
 */
static __always_inline void rebase(struct scope_task *t, const __u64 *counters, bool in,
				   bool unread)
{
	__u64 *base = row(t, SCOPE_ROW_BASE);

	for (__u32 i = shape.wall; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		base[i] += in ? -counters[i] : counters[i];
	if (t->away != in || unread)
		t->missed = 1;
	t->away = !in;
	t->switches++;
}

#endif
