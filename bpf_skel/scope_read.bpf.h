/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the current counts of a thread.
 *
 * A counter belongs to a CPU, but a thread can lose its CPU and move to another CPU. So each thread
 * with a run in progress has a row `base` (SCOPE_PAIR_NOW). While the thread is on a CPU, counter +
 * base is the count of the thread plus a constant. The constant does not matter, because only
 * differences between readings of the same thread are used.
 *
 *	switched out	base += counter of the CPU that the thread leaves
 *	switched in	base -= counter of the CPU that the thread gets
 *
 * A thread can lose its CPU while a program at a point reads the counters. The number of context
 * switches then shows that the reading has to be repeated. No row has two writers: the program at
 * context switches changes `base`, and the programs at points change the other rows.
 */
#ifndef PSTAT_SCOPE_READ_BPF_H
#define PSTAT_SCOPE_READ_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "perf_read.bpf.h"
#include "scope.h"
#include "scope_cpus.bpf.h"
#include "scope_params.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct thread_info {
	unsigned long flags;
	__u32 status; /* only on x86-64 */
};

struct task_struct {
	struct thread_info thread_info;
	/* the sum of these two is how many times the thread has lost its CPU */
	unsigned long nvcsw, nivcsw;
};

#pragma clang attribute pop

/* user space sets these variables before load; subprograms use them (scope_params.bpf.h) */
const volatile struct scope_words shape = {};
const volatile __u32 nr_cpus = 1;  /* largest possible CPU id + 1 */
const volatile __u64 row_size = 8; /* size of a row in bytes */
/*
 * the maximum number of runs that a thread can have in progress; a power of two, at most
 * SCOPE_DEPTH
 */
const volatile __u32 depth = SCOPE_DEPTH;
/*
 * Index of an event × nr_cpus + CPU id → perf event. Plain events have lower indexes than timed
 * events. User space writes the map, and BPF programs read it.
 */
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

/* 0 → the counters of this CPU at a context switch, stored as the first row of a pair. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
	__uint(max_entries, 1);
} at_switch SEC(".maps");

/*
 * For subprograms: returns the pair of rows @nr (SCOPE_PAIR_...). The multiplication is in
 * assembly, because in C, the compiler would choose the order of the operands. The verifier of
 * Linux 6.1 keeps the bounds of a product only if the value of the second operand is known.
 */
static __always_inline __u64 *pair(struct scope_task *t, __u64 nr)
{
	__u64 offset = nr;

	asm("%0 *= %1" : "+r"(offset) : "r"(2 * row_size));
	return (void *)(t + 1) + offset;
}

/*
 * For programs: returns the pair of rows of the run with the index @run. The verifier must know the
 * bounds of @run.
 */
static __always_inline __u64 *pair_of(struct scope_task *t, __u64 run)
{
	void *start = t;

	MULTIPLY_BY_PARAM(run, PAIR);
	start += run;
	ADD_PARAM(start, START_AT);
	return start;
}

/* ---- readings ---- */

#define WORD_AT(row, offset) (*(__u64 *)((void *)(row) + (offset)))
/* the byte offset, in a pair of rows, of the word @i of the first row */
#define IN_PAIR(i) ((i)*2 * sizeof(__u64))
/* the byte offsets of the rows `base` and `now` in the state of a thread */
#define BASE_AT sizeof(struct scope_task)
#define NOW_AT (sizeof(struct scope_task) + sizeof(__u64))

/*
 * The parameters of functions that take a reading. All except the pointers are constants.
 *
 * - @to + @to_at: the first or the second row of a pair, in which the reading is stored
 * - @t: the thread whose base is added, or NULL
 * - @unread + @unread_at: a __u32 that is set to 1 if a counter could not be read for a reason
 *   other than -ENOENT (the event is not open on this CPU)
 *
 * The __u32 is in memory, because with a flag in a register, the verifier would examine the code
 * for all later events twice. The offsets are separate parameters, so that the compiler does not
 * keep the addresses (pointer + offset) in registers.
 */
#define READING \
	void *to, const __u64 to_at, struct scope_task *t, void *unread, const __u64 unread_at
#define THIS_READING to, to_at, t, unread, unread_at

/*
 * Reads the plain event @i. The number @i must be a constant. If the counter cannot be read, the
 * value 0 is used. A failed read has its own store instruction: if it shared one with a successful
 * read, a successful read would execute one more instruction.
 */
#define TAKE_PLAIN(i)                                                                         \
	do {                                                                                  \
		__u64 key_of_event = cpu, count_of_event;                                     \
                                                                                              \
		if (i)                                                                        \
			ADD_PARAM_AT(key_of_event, KEY, i);                                   \
		count_of_event = bpf_perf_event_read(&events, key_of_event);                  \
		if (!is_read_error(count_of_event)) {                                         \
			if (t)                                                                \
				count_of_event += WORD_AT(t, BASE_AT + IN_PAIR(i));           \
			WORD_AT(to, to_at + IN_PAIR(i)) = count_of_event;                     \
		} else {                                                                      \
			if (count_of_event != (__u64)-ENOENT)                                 \
				asm volatile("*(u32 *)(%0 + %1) = %2" ::"r"(unread),          \
					     "i"(unread_at), "r"(1)                           \
					     : "memory");                                     \
			WORD_AT(to, to_at + IN_PAIR(i)) =                                     \
				t ? *(volatile __u64 *)&WORD_AT(t, BASE_AT + IN_PAIR(i)) : 0; \
		}                                                                             \
	} while (0)

/* If the plain event @i exists, reads it and executes @more. */
#define TAKE_NEXT(i, more)      \
	if (HAS_AT(EVENT, i)) { \
		TAKE_PLAIN(i);  \
		more            \
	}

/* Reads up to SCOPE_UNROLLED plain events. take_backwards() reads the events in reverse order. */
static __always_inline void take_forwards(READING, __u64 cpu)
{
	/* clang-format off */
	TAKE_NEXT(0, TAKE_NEXT(1, TAKE_NEXT(2, TAKE_NEXT(3,
	TAKE_NEXT(4, TAKE_NEXT(5, TAKE_NEXT(6, TAKE_NEXT(7, ;))))))))
	/* clang-format on */
}

static __always_inline void take_backwards(READING, __u64 cpu)
{
	switch (PARAM(PLAIN)) {
	default:
		TAKE_PLAIN(7);
		/* fallthrough */
	case 7:
		TAKE_PLAIN(6);
		/* fallthrough */
	case 6:
		TAKE_PLAIN(5);
		/* fallthrough */
	case 5:
		TAKE_PLAIN(4);
		/* fallthrough */
	case 4:
		TAKE_PLAIN(3);
		/* fallthrough */
	case 3:
		TAKE_PLAIN(2);
		/* fallthrough */
	case 2:
		TAKE_PLAIN(1);
		/* fallthrough */
	case 1:
		TAKE_PLAIN(0);
		/* fallthrough */
	case 0:
		break;
	}
}

/*
 * Returns how many times the current thread has lost its CPU. The kernel keeps this number for each
 * thread, so the word for context switches needs neither a perf event nor a base. (The kernel
 * increments the number shortly before it counts the switch in the perf event `context-switches`.)
 */
static __always_inline __u64 switches_of_thread(void)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return task->nvcsw + task->nivcsw;
}

/*
 * Reads the words that have no perf events. The wall time does not depend on the thread, so it has
 * no base.
 */
static __always_inline void take_clocks(void *to, const __u64 to_at, struct scope_task *t)
{
	void *word, *base = t;
	__u64 now;

	if (t && HAS(SWITCHES)) {
		word = to;
		ADD_PARAM(word, SWITCHES_AT);
		WORD_AT(word, to_at) = switches_of_thread();
	}
	if (!HAS(CLOCKS))
		return;
	now = bpf_ktime_get_ns();
	if (HAS(WALL)) {
		word = to;
		ADD_PARAM(word, WALL_AT);
		WORD_AT(word, to_at) = now;
	}
	if (HAS(CLOCK)) {
		if (t) {
			ADD_PARAM(base, CLOCK_AT);
			now += WORD_AT(base, BASE_AT);
		}
		word = to;
		ADD_PARAM(word, CLOCK_AT);
		WORD_AT(word, to_at) = now;
	}
}

/* flags of take_many() */
#define BASED 1	    /* add the base */
#define BACKWARDS 2 /* read the events in reverse order */

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

static __always_inline void take_timed(__u64 *to, const __u64 *base, bool based, __u32 key,
				       __u32 *unread)
{
	struct bpf_perf_event_value value;
	/* if there is an error, the helper sets the value to zero */
	long err = bpf_perf_event_read_value(&events, key, &value, sizeof(value));

	if (err && err != -ENOENT)
		*unread = 1;
	to[0] = value.counter + (based ? base[0] : 0);
	to[2] = value.enabled + (based ? base[2] : 0);
	to[4] = value.running + (based ? base[4] : 0);
}

static __always_inline void take_clocks_at(__u64 *to, const __u64 *base, bool based)
{
	__u64 now;

	if (based && shape.switches)
		to[2 * shape.clock] = switches_of_thread();
	if (!shape.clock && !shape.wall)
		return;
	now = bpf_ktime_get_ns();
	if (shape.clock)
		*to = now + (based ? *base : 0);
	to += 2 * (shape.clock + shape.switches);
	if (shape.wall)
		*to = now;
}

/*
 * Takes a reading of any number of events. This function is slower than take(), because it has a
 * loop. It is a subprogram, because if it were inlined, the programs would keep more values on the
 * stack.
 */
static __noinline int take_many(__u64 *to, const __u64 *base, __u32 how, __u32 *unread)
{
	const __u32 cpus = nr_cpus, plain = shape.plain, timed = shape.timed, all = plain + timed;
	const __u32 clocks = 2 * (plain + 3 * timed);
	__u32 cpu = bpf_get_smp_processor_id();

	if (!(how & BACKWARDS))
		take_clocks_at(to + clocks, base + clocks, how & BASED);
	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < all; i++) {
		__u32 event = how & BACKWARDS ? all - 1 - i : i, key = cpu + cpus * event;
		__u32 word = 2 * (plain + 3 * (event - plain));

		if (event < plain)
			to[2 * event] =
				take_plain(key, unread) + (how & BASED ? base[2 * event] : 0);
		else
			take_timed(to + word, base + word, how & BASED, key, unread);
	}
	if (how & BACKWARDS)
		take_clocks_at(to + clocks, base + clocks, how & BASED);
	return 0;
}

/*
 * Stores the counters of this CPU in a row, and adds the base if @t is not NULL. Used only if
 * SCOPE_PARAM_SHORT is 1. At the beginning of a run, events are read in reverse order. So the first
 * events are read last at the beginning and first at the end. As a result, their counts contain as
 * little as possible of the cost of reading other events.
 */
static __always_inline void take(READING, const bool backwards)
{
	__u64 cpu = bpf_get_smp_processor_id();

	if (backwards) {
		take_backwards(THIS_READING, cpu);
		take_clocks(to, to_at, t);
	} else {
		take_clocks(to, to_at, t);
		take_forwards(THIS_READING, cpu);
	}
}

/*
 * How many times read_again() tries to read the counters. A thread that lost its CPU continues with
 * a new time slice, so the next attempt is very likely to succeed.
 */
#define TRIES 8

/*
 * The slow path of read_thread(), used if the thread lost its CPU during the reading, if a counter
 * could not be read, or if take() cannot be used for the events (SCOPE_PARAM_SHORT is 0).
 */
static __noinline int read_again(struct scope_task *t, __u64 *to, __u32 how)
{
	for (__u32 try = 0; try < TRIES; try++) {
		__u32 switches = *(volatile __u32 *)&t->switches;

		t->unread = 0;
		barrier();
		take_many(to, (void *)(t + 1), how, &t->unread);
		barrier();
		if (*(volatile __u32 *)&t->switches == switches)
			return 0;
	}
	t->unread = 1;
	return 0;
}

/*
 * Stores the counts of the thread in the row @to + @to_at. t->unread must be 0 before the call. If
 * the counts cannot be read, sets t->unread.
 */
static __always_inline void read_thread(struct scope_task *t, void *to, const __u64 to_at,
					const bool backwards)
{
	__u64 seen = *(volatile __u64 *)&t->seen;

	barrier();
	if (HAS(SHORT)) {
		take(to, to_at, t, t, __builtin_offsetof(struct scope_task, unread), backwards);
		barrier();
		if (*(volatile __u64 *)&t->seen == seen)
			return;
	}
	read_again(t, to + to_at, BASED | (backwards ? BACKWARDS : 0));
}

/*
 * Called at a context switch for each of its two threads, if the thread has runs in progress. @in:
 * true if the thread gets the CPU, false if it loses the CPU. @unread: true if one of the @counters
 * could not be read. The words for context switches and for wall time, which are the last words of
 * a row, have no base.
 *
 * Some kernels do not report every context switch. The programs notice a missing report if,
 * according to the reports, the thread gets a CPU twice in succession, loses a CPU twice in
 * succession, or is off the CPU when it passes a point.
 */
static __always_inline void rebase(struct scope_task *t, const __u64 *counters, bool in,
				   bool unread)
{
	__u64 *base = (void *)(t + 1), counted = PARAM(WORDS) - PARAM(WALL) - PARAM(SWITCHES);

	for (__u32 i = 0; i < SCOPE_MAX_WORDS && i < counted; i++)
		base[2 * i] += in ? -counters[2 * i] : counters[2 * i];
	if (t->away != in || unread)
		t->missed = 1;
	t->away = !in;
	if (in)
		note_cpu(t);
	t->switches++;
}

#endif
