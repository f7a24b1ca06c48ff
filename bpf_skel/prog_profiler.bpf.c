// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts perf events inside a BPF program: run_begin is its fentry, run_end its fexit.
 *
 *	fentry ──► claim a slot for ctx ──► read all counters, last first ──► the slot is valid
 *	   … the target runs …
 *	fexit ──► read all counters, first first ──► find the slot of ctx ──► totals += end - start, the slot is free
 *
 * fentry and fexit of one run get the same ctx: the trampoline's frame on the stack of the task that runs it. So nested runs,
 * and runs that preempt each other on a CPU, are told apart.
 *
 * The kernel does not let run_begin start again on a CPU where it is running, nor run_end (it counts that as a miss of the
 * program), but an interrupt can bring a run in the middle of either. In the middle of run_begin, only its end is seen, which
 * pairs with nothing. In the middle of run_end, only its begin is, and that is not followed: `ending` says so. So a slot has one
 * writer at a time. What is left is the moment between run_end's start and `ending`: a begin there leaves its slot behind, until
 * a run with the same frame, or one that needs the slot, finds it.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "prog_profiler.h"

#define ENOENT 2
#define barrier() asm volatile("" ::: "memory")

char LICENSE[] SEC("license") = "GPL";

/* set before load */
const volatile __u32 nr_events = 0;
const volatile __u64 row_size = 0; /* bytes: nr_events readings */
const volatile __u32 nr_cpus = 1;  /* largest possible CPU id + 1 */

/* A run counts if it began while this was set. Written by user space. */
volatile __u32 enabled = 0;

/* event × nr_cpus + CPU id → the perf event there. Written by user space, read here. Shared by all targets of a session. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} events SEC(".maps");

/* 0 → struct prog_state and PROG_ROWS rows of readings; the size is set before load. Written here, read by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct prog_state));
	__uint(max_entries, 1);
} state SEC(".maps");

/* The verifier of 6.1 keeps the bounds of a product only when the right factor is the known one: C cannot say which. */
static __always_inline struct bpf_perf_event_value *row(struct prog_state *s, __u64 nr)
{
	__u64 offset = nr;

	asm("%0 *= %1" : "+r"(offset) : "r"(row_size));
	return (void *)(s + 1) + offset;
}

/* An event of another PMU's CPUs (a hybrid machine, a cpumask) is not open on this one: it counts nothing here. */
static __always_inline long take(struct bpf_perf_event_value *to, __u32 event)
{
	long err = bpf_perf_event_read_value(&events, event * nr_cpus + bpf_get_smp_processor_id(), &to[event],
					     sizeof(to[event]));

	return err == -ENOENT ? 0 : err; /* the helper has zeroed it */
}

static __always_inline struct prog_state *this_cpu(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&state, &key);
}

/*
 * A slot for @frame. One that holds the same frame is left from a run whose end was not seen (somebody else changed the
 * target's trampoline meanwhile): that run is lost. When all are taken, one is given up in turn, so that slots left over can
 * never fill the table for good.
 */
static __always_inline __u64 slot__claim(struct prog_state *s, __u64 frame)
{
	__u64 slot = PROG_SLOTS;

	for (__u32 i = 0; i < PROG_SLOTS; i++) {
		if (s->frames[i] == frame) {
			slot = i;
			break;
		}
		if (!s->frames[i] && slot == PROG_SLOTS)
			slot = i;
	}
	if (slot == PROG_SLOTS)
		slot = s->next_victim++ % PROG_SLOTS;
	if (s->frames[slot])
		s->lost++;
	s->frames[slot] = 0;
	return slot;
}

SEC("fentry")
int BPF_PROG(run_begin)
{
	struct bpf_perf_event_value *start;
	struct prog_state *s;
	__u64 frame = (__u64)ctx, slot;
	long err = 0;

	if (!enabled)
		return 0;
	s = this_cpu();
	if (!s)
		return 0;
	if (s->skip) {
		s->elsewhere += s->skip == PROG_SKIP_NO_EVENTS;
		return 0;
	}
	if (s->ending) {
		s->lost++;
		return 0;
	}
	slot = slot__claim(s, frame);
	if (slot >= PROG_SLOTS)
		return 0;
	start = row(s, PROG_ROW_START + slot);
	for (__u32 i = 0; i < PROG_MAX_EVENTS && i < nr_events; i++)
		err |= take(start, nr_events - 1 - i);
	if (err)
		s->read_errors++;
	else
		s->frames[slot] = frame;
	return 0;
}

static __always_inline int add_run(struct prog_state *s, __u64 frame)
{
	struct bpf_perf_event_value *total, *start, *end = row(s, PROG_ROW_END);
	__u64 slot;
	long err = 0;

	for (__u32 i = 0; i < PROG_MAX_EVENTS && i < nr_events; i++)
		err |= take(end, i);

	for (slot = 0; slot < PROG_SLOTS; slot++)
		if (s->frames[slot] == frame)
			break;
	if (slot >= PROG_SLOTS) {
		s->unpaired++;
		return 0;
	}
	if (err) {
		s->read_errors++;
		s->frames[slot] = 0;
		return 0;
	}
	start = row(s, PROG_ROW_START + slot);
	total = row(s, PROG_ROW_TOTAL);
	for (__u32 i = 0; i < PROG_MAX_EVENTS && i < nr_events; i++) {
		total[i].counter += end[i].counter - start[i].counter;
		total[i].enabled += end[i].enabled - start[i].enabled;
		total[i].running += end[i].running - start[i].running;
	}
	s->frames[slot] = 0;
	s->runs++;
	return 0;
}

SEC("fexit")
int BPF_PROG(run_end)
{
	struct prog_state *s = this_cpu();

	if (!s || s->skip)
		return 0;
	s->ending = 1;
	barrier();
	add_run(s, (__u64)ctx);
	barrier();
	s->ending = 0;
	return 0;
}
