/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps that all sampling programs share: finding the event of a sample, reading the event's
 * times, and keeping or dropping the sample.
 */
#ifndef PSTAT_PROFILE_SAMPLE_BPF_H
#define PSTAT_PROFILE_SAMPLE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "gate.h"
#include "profile.h"

/* linux/errno.h */
#define EEXIST 17
#define E2BIG 7
#define ENOMEM 12
#define EFAULT 14

const volatile __u32 nr_cpus = 1; /* largest possible CPU id + 1 */
/*
 * index of this program's event if each event has a program of its own; PROFILE_BY_COOKIE if all
 * events share a program
 */
const volatile __u32 own_event = PROFILE_BY_COOKIE;

/* with --start or --stop: keep only samples that were taken while the gate was open */
const volatile bool gated = false;

/* The programs at the points of --start and --stop (profile_gate.bpf.c) open and close the gate. */
volatile struct gate gate SEC(".data.gate") = {};

/*
 * Index of an event → what happened to its samples (see struct profile_fate). Written by BPF, read
 * by user space.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct profile_fate);
} fates SEC(".maps");

/* Index of an event * nr_cpus + CPU id → the event's times. Written by BPF, read by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct profile_times);
} times SEC(".maps");

#define add(counter, by) __sync_fetch_and_add(counter, by)

struct sample {
	__u32 event;
	__u64 weight;
	struct profile_fate *fate;
};

static __always_inline __u64 sample_ip(struct bpf_perf_event_data *ctx)
{
	return ctx->regs.PT_REGS_IP_FIELD;
}

/* Returns whether @ip is in the half of the address space that the kernel uses. */
static __always_inline bool is_kernel_ip(__u64 ip)
{
	return (__s64)ip < 0;
}

/*
 * Returns whether @ip is a mark instead of an address. The kernel can insert a mark before the
 * kernel part and before the user part of a stack. No mark is below PERF_CONTEXT_MAX (-4095).
 */
static __always_inline bool is_context_mark(__u64 ip)
{
	return ip >= (__u64)-4095;
}

static __always_inline void note_times(struct bpf_perf_event_data *ctx, struct sample *sample)
{
	__u32 key = sample->event * nr_cpus + bpf_get_smp_processor_id();
	struct profile_times *at = bpf_map_lookup_elem(&times, &key);
	struct bpf_perf_event_value value;

	if (!at)
		return;
	/*
	 * the kernel refuses to read the times of events that also count in child tasks (inherit)
	 */
	if (bpf_perf_prog_read_value(ctx, &value, sizeof(value))) {
		add(&sample->fate->no_times, 1);
		return;
	}
	at->enabled = value.enabled;
	at->running = value.running;
}

/*
 * Fills @sample. Returns false if the sample belongs to no profiled event, or if the gate is
 * closed.
 */
static __always_inline bool sample__begin(struct bpf_perf_event_data *ctx, struct sample *sample)
{
	if (gated && !gate.phase)
		return false;
	sample->event = own_event;
	if (sample->event == PROFILE_BY_COOKIE)
		sample->event = (__u32)bpf_get_attach_cookie(ctx) - 1;
	sample->fate = bpf_map_lookup_elem(&fates, &sample->event);
	if (!sample->fate)
		return false;
	sample->weight = ctx->sample_period;
	/*
	 * with a gate, the times would be misleading, because the event is also enabled while the
	 * gate is closed
	 */
	if (!gated)
		note_times(ctx, sample);
	return true;
}

/* Drops the sample, and counts it in *@fate. */
static __always_inline void sample__drop(const struct sample *sample, __u64 *fate)
{
	add(fate, 1);
	add(&sample->fate->weight, sample->weight);
}

/* Adds the sample to the entry @key of the hash map @map. If this fails, drops the sample. */
static __always_inline void sample__keep(const struct sample *sample, void *map, const void *key)
{
	struct profile_value *value = bpf_map_lookup_elem(map, key);

	if (!value) {
		static const struct profile_value none;
		long err = bpf_map_update_elem(map, key, &none, BPF_NOEXIST);

		value = err && err != -EEXIST ? (void *)0 : bpf_map_lookup_elem(map, key);
		if (!value) {
			sample__drop(sample,
				     err == -E2BIG ? &sample->fate->no_room : &sample->fate->busy);
			return;
		}
	}
	add(&value->samples, 1);
	add(&value->weight, sample->weight);
}

#endif
