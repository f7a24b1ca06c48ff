/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the count of a thread up to now.
 *
 * A counter belongs to a CPU, but a thread loses its CPU and moves to others. So each thread with a
 * run in progress has a row `base`. While the thread runs, counter + base is the count of the
 * thread since its outermost run began (plus a constant).
 *
 *	switched out	base += counter of the CPU that the thread leaves
 *	switched in	base -= counter of the CPU that the thread gets
 *
 * The program at a context switch changes only the base and the number of switches, and the
 * programs at points change everything else. They never write the same data, so a thread may lose
 * its CPU while a program at a point runs. The number of switches then shows that the reading has
 * to be repeated.
 */
#ifndef PSTAT_SCOPE_READ_BPF_H
#define PSTAT_SCOPE_READ_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "perf_read.bpf.h"
#include "scope.h"
#include "scope_cpus.bpf.h"

/* set before load */
const volatile struct scope_words shape = {};
const volatile __u64 row_size = 8; /* size in bytes of a row of shape.words words */
const volatile __u32 nr_cpus = 1;  /* largest possible CPU id + 1 */
/*
 * the maximum number of runs that a thread can have in progress; a power of two, at most
 * SCOPE_DEPTH
 */
const volatile __u32 depth = SCOPE_DEPTH;
/*
 * event × nr_cpus + CPU id → perf event, plain events first. User space writes it, and BPF reads
 * it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} events SEC(".maps");

/* The state of each thread that had a run. User space sets the size of the value. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct scope_task);
} threads SEC(".maps");

/* 0 → the counters at the context switch. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
	__uint(max_entries, 1);
} at_switch SEC(".maps");

/*
 * Returns the row @nr. In Linux 6.1, the verifier keeps the bounds of a product only if the second
 * operand is the one with a known value. In C, the compiler chooses the order of the operands, so
 * the multiplication is in assembly.
 */
static __always_inline __u64 *row(struct scope_task *t, __u64 nr)
{
	__u64 offset = nr;

	asm("%0 *= %1" : "+r"(offset) : "r"(row_size));
	return (void *)(t + 1) + offset;
}

/* Returns the first row: SCOPE_ROW_BASE. */
static __always_inline __u64 *base_of(struct scope_task *t)
{
	return (__u64 *)(t + 1);
}

/* Returns the second row: SCOPE_ROW_NOW. */
static __always_inline __u64 *now_of(struct scope_task *t)
{
	return (void *)(t + 1) + row_size;
}

/* ---- readings ---- */

static __always_inline __u64 take_plain(__u32 key, __u32 *unread)
{
	__u64 count = bpf_perf_event_read(&events, key);

	if (is_read_error(count)) {
		if (count != (__u64)-ENOENT)
			*unread = 1;
		count = 0;
	}
	return count;
}

/* If there is an error, the helper sets the value to zero. */
static __always_inline void take_timed(__u64 *to, const __u64 *base, bool based, __u32 key,
				       __u32 *unread)
{
	long err = bpf_perf_event_read_value(&events, key, (void *)to,
					     sizeof(struct bpf_perf_event_value));

	if (err && err != -ENOENT)
		*unread = 1;
	for (__u32 i = 0; based && i < 3; i++)
		to[i] += base[i];
}

/* The wall time does not depend on the thread, so it has no base. */
static __always_inline void take_clocks(__u64 *to, const __u64 *base, bool based, __u32 wall,
					__u32 clock)
{
	__u64 now;

	if (!wall && !clock)
		return;
	now = bpf_ktime_get_ns();
	if (wall)
		to[0] = now;
	if (clock)
		to[wall] = now + (based ? base[wall] : 0);
}

/*
 * The first plain events, up to this number, are read without a loop. Their offsets are then
 * constants, and the verifier removes the code for events that a session does not have.
 */
#define SCOPE_UNROLLED 8

/* Reads the plain events in order. */
static __always_inline void take_forwards(__u64 *to, const __u64 *base, bool based, __u32 cpu,
					  __u32 *unread)
{
	const __u32 cpus = nr_cpus, plain = shape.plain, timed = shape.timed;
	__u32 key = cpu;

#pragma unroll
	for (__u32 i = 0; i < SCOPE_UNROLLED; i++, key += cpus)
		if (i < plain)
			to[i] = take_plain(key, unread) + (based ? base[i] : 0);
	if (plain <= SCOPE_UNROLLED && !timed)
		return;
	key = cpu + cpus * SCOPE_UNROLLED;
	for (__u32 i = SCOPE_UNROLLED; i < SCOPE_MAX_WORDS && i < plain; i++, key += cpus)
		to[i] = take_plain(key, unread) + (based ? base[i] : 0);
	key = cpu + cpus * plain;
	to += plain;
	base += plain;
	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < timed; i++, key += cpus)
		take_timed(&to[3 * i], &base[3 * i], based, key, unread);
}

/* Reads the plain events in reverse order. */
static __always_inline void take_backwards(__u64 *to, const __u64 *base, bool based, __u32 cpu,
					   __u32 *unread)
{
	const __u32 cpus = nr_cpus, plain = shape.plain, timed = shape.timed;
	__u32 key = cpu + cpus * plain;

	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < timed; i++) {
		__u32 event = timed - 1 - i, word = plain + 3 * event;

		take_timed(&to[word], &base[word], based, key + cpus * event, unread);
	}
	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i + SCOPE_UNROLLED < plain; i++) {
		__u32 word = plain - 1 - i;

		key -= cpus;
		to[word] = take_plain(key, unread) + (based ? base[word] : 0);
	}
#pragma unroll
	for (__u32 i = 0; i < SCOPE_UNROLLED; i++) {
		const __u32 word = SCOPE_UNROLLED - 1 - i;

		if (word < plain) {
			key -= cpus;
			to[word] = take_plain(key, unread) + (based ? base[word] : 0);
		}
	}
}

/*
 * Stores the counters of this CPU in the row @to, and adds the row @base if @based is set. At the
 * beginning of a run, events are read in reverse order. So the first events are read last at the
 * beginning and first at the end, and include the least of the cost of reading the others. Sets
 * *@unread if a counter could not be read. This is stored in memory: with a flag in a register, the
 * verifier would examine all events both with and without an error.
 */
static __always_inline void take(__u64 *to, const __u64 *base, bool based, bool backwards,
				 __u32 *unread)
{
	/* copy these, because each use of the volatile `shape` would read it again */
	const __u32 wall = shape.wall, clock = shape.clock, first = wall + clock;
	__u32 cpu = bpf_get_smp_processor_id();

	if (backwards) {
		take_backwards(to + first, base + first, based, cpu, unread);
		take_clocks(to, base, based, wall, clock);
	} else {
		take_clocks(to, base, based, wall, clock);
		take_forwards(to + first, base + first, based, cpu, unread);
	}
}

/*
 * How often read_thread() tries. If the thread loses its CPU between two attempts, it has a new
 * time slice afterwards, so the second attempt is very likely to succeed.
 */
#define TRIES 8

/* Stores the counts of the thread in the row @to of @t. Returns false if they are not known. */
static __always_inline bool read_thread(struct scope_task *t, __u64 *to, bool backwards)
{
	__u64 *base = base_of(t);

	t->unread = 0;
	for (__u32 try = 0; try < TRIES; try++) {
		__u32 switches = *(volatile __u32 *)&t->switches;

		barrier();
		take(to, base, true, backwards, &t->unread);
		barrier();
		if (*(volatile __u32 *)&t->switches == switches)
			return !t->unread;
	}
	return false;
}

/*
 * Called at a context switch for both threads. The wall time advances while a thread waits. Some
 * kernels do not report every context switch. This is noticed if the thread is switched out twice,
 * or passes a point while it should be off the CPU.
 */
static __always_inline void rebase(struct scope_task *t, const __u64 *counters, bool in,
				   bool unread)
{
	__u64 *base = base_of(t);

	for (__u32 i = shape.wall; i < SCOPE_MAX_WORDS && i < shape.words; i++)
		base[i] += in ? -counters[i] : counters[i];
	if (t->away != in || unread)
		t->missed = 1;
	t->away = !in;
	if (in)
		note_cpu(t);
	t->switches++;
}

#endif
