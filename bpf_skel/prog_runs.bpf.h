/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The runs in flight on a CPU, and what each is charged with: shared by what sees runs begin and end (prog_profiler.bpf.c)
 * and what sees tasks take turns (prog_switch.bpf.c).
 *
 *	          begin A      begin B      end B       end A
 *	 ───────────┼────────────┼───────────┼────────────┼────────────
 *	 charged to      A             B            A
 *
 * One reading of all events at each of these moments, and one row `last` for each CPU, are enough: what passed since goes to
 * the run that was the owner. When a task with a run in flight is taken off the CPU, the run is charged and put aside; when
 * the task comes back, it becomes the owner again.
 *
 * An interrupt can bring a run in the middle of the code below, on the same rows. `busy` says so, and that run is then
 * given up as a whole. If another task gets the CPU in the middle (`disturbed`), what was written is not certain, and all
 * runs in flight are given up, the one that ends just then too. So there is one writer at a time, and whatever does not fit together ends
 * in reset(): runs are lost and counted as such, but none has a value that is not its own.
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
const volatile __u64 row_size = 8; /* bytes: shape.words words */
const volatile __u32 nr_cpus = 1;  /* largest possible CPU id + 1 */

/* event × nr_cpus + CPU id → the perf event there. Written by user space, read here. Plain events first. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} events SEC(".maps");

/* 0 → struct prog_cpu and PROG_ROWS rows; the size is set before load. `skip` is written by user space, the rest here. */
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

/* The verifier of 6.1 keeps the bounds of a product only when the right factor is the known one: C cannot say which. */
static __always_inline __u64 *row(struct prog_cpu *cpu, __u64 nr)
{
	__u64 offset = nr;

	asm("%0 *= %1" : "+r"(offset) : "r"(row_size));
	return (void *)(cpu + 1) + offset;
}

/*
 * How many words and of what kind there are, for code that is compiled for one such kind. Nothing but constants when it is inlined;
 * ANY_SHAPE asks `shape`.
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
 * That a counter could not be read is noted in memory: in a register, the verifier would try all events with and without.
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
	long err = bpf_perf_event_read_value(&events, key, (void *)to, sizeof(struct bpf_perf_event_value));

	/* the helper has zeroed it */
	if (err && err != -ENOENT)
		cpu->unread = 1;
}

/* Each event's window holds as little as can be of what it costs to read the others: so at a begin they are read the other way round. */
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

/* Fills the row. False when a counter could not be read. */
static __always_inline bool take_first_first(struct prog_cpu *cpu, __u64 row_nr, struct prog_form form)
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

static __always_inline bool take_last_first(struct prog_cpu *cpu, __u64 row_nr, struct prog_form form)
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

/* Marks all runs in flight as lost for @cause. Their ends will then match no slot. */
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

/* To be called where a writer lets go of @cpu. */
static __always_inline void release(struct prog_cpu *cpu)
{
	barrier();
	if (cpu->disturbed)
		calm(cpu);
	barrier();
	cpu->busy = 0;
}

/* Of the owner's run what one word counted, by the places of it in the rows `now` and `last`: bytes from the start of @cpu. */
static __always_inline __u64 run_count(const struct prog_cpu *cpu, __u64 now, __u64 last)
{
	return *(const __u64 *)((const void *)cpu + now) - *(const __u64 *)((const void *)cpu + last);
}

/* What passed between the rows `last` and `now` is the owner's. */
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
