/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The runs (executions of counted BPF programs) in progress on a CPU, and the counts of each run.
 * The programs at the beginning and the end of runs (prog_profiler.bpf.c) and the program at
 * context switches (prog_switch.bpf.c) share this code.
 *
 *	          begin A      begin B      end B       end A
 *	 ───────────┼────────────┼───────────┼────────────┼────────────
 *	 charged to      A             B            A
 *
 * Counts are charged (added) to one run at a time, the owner. Whenever a run begins or ends, all
 * events are read. If there is an outer run, all events are read twice, and the counts between
 * these two readings are charged to no run. If there is an owner, the row `last` (PROG_ROW_LAST)
 * contains the latest reading, and the counts since that reading belong to the owner. When a task
 * with a run in progress loses the CPU, the program at the context switch charges these counts to
 * the run. When the task gets the CPU again, the run becomes the owner again.
 *
 * `busy` is set while a program changes the state of the CPU (struct prog_cpu), so that only one
 * program at a time changes the state. If an interrupt starts a run during this time, the run is
 * not counted. If another task gets the CPU during this time, the program at the context switch
 * only sets `disturbed`. The state is then not reliable, and release() drops all runs in progress,
 * including a run that is just ending. After any inconsistency, reset() counts the runs in progress
 * as lost, so that no run gets the counts of another run.
 */
#ifndef PSTAT_PROG_RUNS_BPF_H
#define PSTAT_PROG_RUNS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "perf_read.bpf.h"
#include "prog_profiler.h"

#define UNROLL _Pragma("unroll")

/* set before load */
const volatile struct prog_words shape = {};
const volatile __u64 row_size = 8; /* size in bytes of a row of shape.words words */
const volatile __u32 nr_cpus = 1;  /* largest possible CPU id + 1 */

/*
 * index of an event × nr_cpus + CPU id → perf event. The plain events have the lowest indexes. User
 * space writes this map, and BPF reads it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} events SEC(".maps");

/*
 * 0 → struct prog_cpu and PROG_ROWS rows. User space writes `skip`, and BPF programs write the
 * rest. User space sets the size of the value before load.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct prog_cpu));
	__uint(max_entries, 1);
} cpu_runs SEC(".maps");

static __always_inline struct prog_cpu *this_cpu(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&cpu_runs, &key);
}

/*
 * Returns the row @nr. The verifier of Linux 6.1 keeps the bounds of a product only if the second
 * operand has a known value. The compiler can swap the operands, so the multiplication is in
 * assembly.
 */
static __always_inline __u64 *row(struct prog_cpu *cpu, __u64 nr)
{
	__u64 offset = nr;

	asm("%0 *= %1" : "+r"(offset) : "r"(row_size));
	return (void *)(cpu + 1) + offset;
}

/*
 * The form of a row: the number and kinds of its words. If a caller passes constants, inlining
 * leaves only the code for these words. With ANY_SHAPE (needed for timed events), the code reads
 * `shape` instead.
 */
struct prog_form {
	bool any;
	bool clock;
	__u32 plain;
};

#define ANY_SHAPE ((struct prog_form){ .any = true })

static __always_inline __u64 *row_of(struct prog_cpu *cpu, __u64 nr, struct prog_form form)
{
	if (form.any)
		return row(cpu, nr);
	return (__u64 *)(cpu + 1) + nr * (form.clock + form.plain);
}

/*
 * Reads a plain event into *@to. If the event is not open on this CPU (-ENOENT), its value is 0.
 * After any other error, sets the flag cpu->unread, which is in memory. With a flag in a register,
 * the verifier would examine the code for all later events both with and without an error.
 */
static __always_inline void take_plain(struct prog_cpu *cpu, __u64 *to, __u32 key)
{
	__u64 count = bpf_perf_event_read(&events, key);

	if (is_read_error(count)) {
		if (count != (__u64)-ENOENT)
			cpu->unread = 1;
		count = 0;
	}
	*to = count;
}

static __always_inline void take_timed(struct prog_cpu *cpu, __u64 *to, __u32 key)
{
	long err = bpf_perf_event_read_value(&events, key, (void *)to,
					     sizeof(struct bpf_perf_event_value));

	/* after an error, the helper has set the value to zero */
	if (err && err != -ENOENT)
		cpu->unread = 1;
}

/*
 * Reads all events, in reverse order if @backwards is set. The caller sets @backwards when a run
 * begins, or becomes the owner again. So the clock and the first events are read last at the
 * beginning of a run, and first at its end. Their counts then contain as little as possible of the
 * cost of reading the other events.
 */
static __always_inline void take_any(struct prog_cpu *cpu, __u64 *to, bool backwards)
{
	__u32 cpu_id = bpf_get_smp_processor_id(), nr = shape.plain + shape.timed;
	__u64 *plain = to + shape.clock, *timed = plain + shape.plain;

	if (shape.clock && !backwards)
		to[0] = bpf_ktime_get_ns();
	for (__u32 i = 0; i < PROG_MAX_EVENTS && i < nr; i++) {
		__u32 event = backwards ? nr - 1 - i : i, key = cpu_id + event * nr_cpus;

		if (event < shape.plain)
			take_plain(cpu, plain + event, key);
		else
			take_timed(cpu, timed + 3 * (event - shape.plain), key);
	}
	if (shape.clock && backwards)
		to[0] = bpf_ktime_get_ns();
}

static __always_inline bool could_read(struct prog_cpu *cpu)
{
	barrier();
	if (!cpu->unread)
		return true;
	cpu->unread = 0;
	return false;
}

/*
 * Reads all events into the row @row_nr, in order (take_last_first(): in reverse order). Returns
 * false if a counter could not be read.
 */
static __always_inline bool take_first_first(struct prog_cpu *cpu, __u64 row_nr,
					     struct prog_form form)
{
	__u64 *to = row_of(cpu, row_nr, form);
	__u32 key;

	if (form.any) {
		take_any(cpu, to, false);
		return could_read(cpu);
	}
	if (form.clock)
		to[0] = bpf_ktime_get_ns();
	if (!form.plain)
		return true;
	key = bpf_get_smp_processor_id();
	UNROLL
	for (__u32 i = 0; i < form.plain; i++, key += nr_cpus)
		take_plain(cpu, to + form.clock + i, key);
	return could_read(cpu);
}

static __always_inline bool take_last_first(struct prog_cpu *cpu, __u64 row_nr,
					    struct prog_form form)
{
	__u64 *to = row_of(cpu, row_nr, form);
	__u32 key;

	if (form.any) {
		take_any(cpu, to, true);
		return could_read(cpu);
	}
	if (form.plain) {
		key = bpf_get_smp_processor_id() + (form.plain - 1) * nr_cpus;
		UNROLL
		for (__u32 i = form.plain; i-- > 0; key -= nr_cpus)
			take_plain(cpu, to + form.clock + i, key);
	}
	if (form.clock)
		to[0] = bpf_ktime_get_ns();
	return !form.plain || could_read(cpu);
}

/* Counts all runs in progress as lost because of @cause, and frees their slots. */
static __always_inline void reset(struct prog_cpu *cpu, __u32 cause)
{
	for (__u32 i = 0; i < PROG_SLOTS; i++)
		cpu->runs[i].frame = 0;
	cpu->lost[cause & (PROG_LOST_ROOM - 1)] += cpu->nr;
	cpu->nr = 0;
	cpu->owner = 0;
}

static __noinline int calm(struct prog_cpu *cpu)
{
	if (!cpu)
		return 0;
	reset(cpu, PROG_LOST_SWITCH);
	cpu->disturbed = 0;
	return 0;
}

/* Ends a change of @cpu. If another task got the CPU during the change, first drops all runs. */
static __always_inline void release(struct prog_cpu *cpu)
{
	barrier();
	if (cpu->disturbed)
		calm(cpu);
	barrier();
	cpu->busy = 0;
}

/*
 * Returns the increase of one word between two readings. @now and @last are the offsets of the word
 * in the rows of the two readings, in bytes from the start of @cpu.
 */
static __always_inline __u64 run_count(const struct prog_cpu *cpu, __u64 now, __u64 last)
{
	return *(const __u64 *)((const void *)cpu + now) -
	       *(const __u64 *)((const void *)cpu + last);
}

/* Charges the differences between the rows `now` and `last` to the owner. */
static __always_inline void charge_owner(struct prog_cpu *cpu)
{
	__u32 slot = (cpu->owner - 1) & (PROG_SLOTS - 1);
	__u64 *now = row(cpu, PROG_ROW_NOW), *last = row(cpu, PROG_ROW_LAST);
	__u64 *charged = row(cpu, PROG_ROW_CHARGED + slot);
	bool more = cpu->runs[slot].charged;

	for (__u32 i = 0; i < 3 * PROG_MAX_EVENTS && i < shape.words; i++)
		charged[i] = (more ? charged[i] : 0) + now[i] - last[i];
	cpu->runs[slot].charged = 1;
}

#endif
