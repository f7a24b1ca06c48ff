/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single runs that cost more than a threshold go to user space at once, each as a record of a perf buffer.
 *
 *	count - cost ──► above? ──► passed ──► within the rate? ──► record, with the packet ──► user space, or no room: lost
 *	                                             └► suppressed
 *
 * It happens between the reading at a run's end and the next one, while nobody is charged: a run that is streamed costs none of those
 * around it anything. Without --outliers the constants below say so, and the kernel leaves all of this out of the program.
 */
#ifndef PSTAT_PROG_OUTLIERS_BPF_H
#define PSTAT_PROG_OUTLIERS_BPF_H

#include "prog_filter.bpf.h"
#include "prog_outliers.h"
#include "prog_runs.bpf.h"

#define NSEC_PER_SEC 1000000000ULL

/* A rate is asked again when another CPU changed it meanwhile, so often at most. */
#define RATE_TRIES 16

#define BPF_F_CURRENT_CPU 0xffffffffULL
#define PACKET_SHIFT 32 /* of its length in the flags of the helpers: BPF_F_CTXLEN_MASK */

/* set before load */
/* bytes from the start of a CPU's state to the word that the threshold is for, in both rows of a run (see run_count()); 0: none */
const volatile __u64 outlier_now = 0;
const volatile __u64 outlier_last = 0;
const volatile __u64 outlier_inner = 0;	 /* what of it is the counting's own, for each run inside */
const volatile __u32 outlier_size = 0;	 /* bytes of a record: with its words */
const volatile __u32 outlier_rate = 0;	 /* records a second, over all CPUs and targets */
const volatile __u32 outlier_packet = 0; /* bytes of it that are wanted … */
const volatile __u32 packet_kind = PROG_PACKET_NONE;
const volatile struct prog_packet_layout packet_layout = {};
const volatile __u64 target = 0; /* what user space calls it */

/* A run passes if it counts more than this, in which is what the counting itself adds to each. Written by user space, any time. */
volatile __u64 outlier_above = ~0ULL;

/* 0 → struct prog_outlier_cpu and a row; the size is set before load. Written here, read by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct prog_outlier_cpu));
	__uint(max_entries, 1);
} outliers SEC(".maps");

/* 0 → the second that is running, of CLOCK_MONOTONIC (upper half), and the records of it (lower half). Only for this side. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
	__uint(max_entries, 1);
} outlier_second SEC(".maps");

/* CPU id → its perf buffer, which user space reads. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} outlier_buffers SEC(".maps");

/* One more in this second? A CPU whose clock is a little behind counts for the second that has begun. */
static __always_inline bool is_within_rate(__u64 now)
{
	__u32 key = 0, second = now / NSEC_PER_SEC;
	volatile __u64 *state = bpf_map_lookup_elem(&outlier_second, &key);

	if (!state)
		return false;
	for (int i = 0; i < RATE_TRIES; i++) {
		__u64 old = *state, next = old + 1;

		if (second > old >> 32)
			next = (__u64)second << 32 | 1;
		else if ((__u32)old >= outlier_rate)
			return false;
		if (__sync_val_compare_and_swap(state, old, next) == old)
			return true;
	}
	return false;
}

static __always_inline void name_task(struct prog_outlier *record)
{
	struct bpf_pidns_info ids = {};
	__u64 id;

	if (pid_ns_ino) {
		bpf_get_ns_current_pid_tgid(pid_ns_dev, pid_ns_ino, &ids, sizeof(ids));
		record->pid = ids.tgid;
		record->tid = ids.pid;
	} else {
		id = bpf_get_current_pid_tgid();
		record->pid = id >> 32;
		record->tid = id;
	}
	bpf_get_current_comm(record->comm, sizeof(record->comm));
}

static __always_inline __u32 inner_runs(const struct prog_cpu *cpu)
{
	return cpu->runs[(cpu->owner - 1) & (PROG_SLOTS - 1)].inner;
}

static __always_inline void fill_record(struct prog_outlier *record, struct prog_cpu *cpu, __u64 now)
{
	const __u64 *end = row(cpu, PROG_ROW_NOW), *start = row(cpu, PROG_ROW_LAST);
	__u64 *words = (void *)(record + 1);

	record->time = now;
	record->target = target;
	record->cpu = bpf_get_smp_processor_id();
	record->inner = inner_runs(cpu);
	record->packet = 0;
	record->packet_len = 0;
	name_task(record);
	for (__u32 i = 0; i < 3 * PROG_MAX_EVENTS && i < shape.words; i++)
		words[i] = end[i] - start[i];
}

/* The upper bits of the flags: how much of a packet of @len bytes is to go with the record. */
static __always_inline __u64 want_packet(struct prog_outlier *record, __u64 len)
{
	record->packet_len = len;
	record->packet = len < outlier_packet ? len : outlier_packet;
	return BPF_F_CURRENT_CPU | (__u64)record->packet << PACKET_SHIFT;
}

/*
 * bpf_xdp_get_buff_len is there for tracing programs since 5.18, as are packets of more than one buffer. Places are user space's to
 * find: one relocation of libbpf's, and it reads all types of the kernel for every program, with --packet or without.
 */
static __always_inline __u64 xdp_length(struct xdp_buff *xdp)
{
	__u64 start = 0, end = 0;

	if (packet_layout.xdp_helper)
		return bpf_xdp_get_buff_len((void *)xdp);
	bpf_probe_read_kernel(&start, sizeof(start), (void *)xdp + packet_layout.xdp_data);
	bpf_probe_read_kernel(&end, sizeof(end), (void *)xdp + packet_layout.xdp_data_end);
	return end - start;
}

static __always_inline __u64 skb_length(struct sk_buff *skb)
{
	__u32 len = 0;

	bpf_probe_read_kernel(&len, sizeof(len), (void *)skb + packet_layout.skb_len);
	return len;
}

/* A context is a pointer that the kernel knows the type of only where the target's BTF names it: user space has looked. */
static __always_inline long send(void *ctx, struct prog_outlier *record)
{
	if (packet_kind == PROG_PACKET_XDP) {
		struct xdp_buff *xdp = *(struct xdp_buff **)ctx;
		__u64 flags = want_packet(record, xdp_length(xdp));

		return bpf_xdp_output(xdp, &outlier_buffers, flags, record, outlier_size);
	}
	if (packet_kind == PROG_PACKET_SKB) {
		struct sk_buff *skb = *(struct sk_buff **)ctx;
		__u64 flags = want_packet(record, skb_length(skb));

		return bpf_skb_output(skb, &outlier_buffers, flags, record, outlier_size);
	}
	return bpf_perf_event_output(ctx, &outlier_buffers, BPF_F_CURRENT_CPU, record, outlier_size);
}

/* The owner's run is @over above the threshold; perhaps only because of runs inside. */
static __noinline int stream_outlier(void *ctx, struct prog_cpu *cpu, __u64 over)
{
	__u64 now = bpf_ktime_get_ns();
	struct prog_outlier_cpu *to;
	__u32 key = 0;

	to = bpf_map_lookup_elem(&outliers, &key);
	if (!cpu || !to)
		return 0;
	if (over <= inner_runs(cpu) * outlier_inner)
		return 0;
	to->passed++;
	if (!is_within_rate(now)) {
		to->suppressed++;
		return 0;
	}
	fill_record(&to->record, cpu, now);
	if (send(ctx, &to->record))
		to->lost++;
	return 0;
}

#endif
