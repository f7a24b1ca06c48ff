/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For each run that costs more than a threshold, immediately sends a record to user space, through
 * a perf buffer.
 *
 *	count - cost ──► above? ──► passed ──► within the rate? ──► record and packet ──► user space
 *	                                             │                    └► no room: lost
 *	                                             └► suppressed
 *
 * Except for take_branches(), this code runs between the reading at the end of a run and the next
 * reading. The counts between these two readings are not added to any run, so sending a record adds
 * nothing to the counts of other runs. Without --outliers, the constants below are 0, and the
 * kernel removes this code from the program.
 */
#ifndef PSTAT_PROG_OUTLIERS_BPF_H
#define PSTAT_PROG_OUTLIERS_BPF_H

#include "branches.bpf.h"
#include "outliers.bpf.h"
#include "prog_runs.bpf.h"

#define BPF_F_CURRENT_CPU 0xffffffffULL
/*
 * The position of the lowest bit of the field BPF_F_CTXLEN_MASK. In the flags of bpf_xdp_output()
 * and bpf_skb_output(), this field says how many bytes of the packet are sent.
 */
#define PACKET_SHIFT 32

/* set before load */
/*
 * The increase of one word of a reading (struct prog_words) during a run is compared with the
 * threshold. outlier_now and outlier_last are the offsets of this word in the rows `now` and
 * `last`, in bytes from the start of struct prog_cpu (see run_count()). Without --outliers, both
 * are 0.
 */
const volatile __u64 outlier_now = 0;
const volatile __u64 outlier_last = 0;
const volatile __u64 outlier_inner = 0; /* cost of counting one inner run */
const volatile __u32 outlier_size = 0;	/* size of a record in bytes, without the packet */
/* offset in bytes of the struct branch_block in a record; 0: the record has no branches */
const volatile __u32 outlier_branches = 0;
const volatile __u32 outlier_packet = 0; /* at most this many bytes of each packet are sent */
const volatile __u32 packet_kind = PROG_PACKET_NONE;
const volatile struct prog_packet_layout packet_layout = {};
/*
 * identifies the target (the counted program): the address of the target's struct bpf_prog
 * (util/machine/bpf/bpf-prog.h) in pstat's memory
 */
const volatile __u64 target = 0;

/*
 * A run can be an outlier only if its count is above this value: the threshold plus the cost of
 * counting a run. (stream_outlier() then considers the cost of counting inner runs.) User space can
 * change this value at any time.
 */
volatile __u64 outlier_above = ~0ULL;

/*
 * 0 → struct prog_outlier_cpu, a row of words and, with --branches, a struct branch_block. BPF
 * writes this map, and user space reads it. Before load, user space replaces the map with a map of
 * the right size, which all targets share.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct prog_outlier_cpu));
	__uint(max_entries, 1);
} outliers SEC(".maps");

/* CPU id → perf buffer, which user space reads. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1);
} outlier_buffers SEC(".maps");

/*
 * 0 → the last branches that the CPU recorded before the end of the latest run. Used only by BPF,
 * and only if `takes_branches` is set.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct branch_block));
	__uint(max_entries, 1);
} branches SEC(".maps");

static __always_inline struct branch_block *latest_branches(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&branches, &key);
}

/*
 * Copies the latest branches to the map `branches`. Called at the end of each run, before the
 * counters are read, because the branches of this program soon overwrite the recorded branches.
 */
static __always_inline void take_branches(void)
{
	struct branch_block *block = latest_branches();

	if (block)
		branches_take(block);
}

static __always_inline __u32 inner_runs(const struct prog_cpu *cpu)
{
	return cpu->runs[(cpu->owner - 1) & (PROG_SLOTS - 1)].inner;
}

static __always_inline void fill_record(struct prog_outlier *record, struct prog_cpu *cpu,
					__u64 now)
{
	const __u64 *end = row(cpu, PROG_ROW_NOW), *start = row(cpu, PROG_ROW_LAST);
	__u64 *words = (void *)(record + 1);

	record->time = now;
	record->target = target;
	record->cpu = bpf_get_smp_processor_id();
	record->inner = inner_runs(cpu);
	record->packet = 0;
	record->packet_len = 0;
	name_task(&record->pid, &record->tid, record->comm);
	for (__u32 i = 0; i < 3 * PROG_MAX_EVENTS && i < shape.words; i++)
		words[i] = end[i] - start[i];
}

static __always_inline void add_branches(struct prog_outlier *record)
{
	const struct branch_block *block = latest_branches();

	if (block)
		bpf_probe_read_kernel((void *)record + outlier_branches, sizeof(*block), block);
}

/*
 * Stores in @record the length @len of the packet, and how many bytes of the packet will be sent.
 * Returns the flags for the helper that sends the record.
 */
static __always_inline __u64 want_packet(struct prog_outlier *record, __u64 len)
{
	record->packet_len = len;
	record->packet = len < outlier_packet ? len : outlier_packet;
	return BPF_F_CURRENT_CPU | (__u64)record->packet << PACKET_SHIFT;
}

/*
 * Returns the length of a packet in bytes. On Linux 5.18 and later, which support packets of more
 * than one buffer, tracing programs can call bpf_xdp_get_buff_len(). For older kernels, user space
 * finds the offsets of the members `data` and `data_end`. The program does not use CO-RE
 * relocations, because with them, libbpf would read all kernel types for every program, even
 * without --packet.
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

/*
 * Sends the record. Returns 0 or -errno. The verifier accepts the target's first argument as a
 * packet only if the target's BTF declares the argument's type. User space checks this before it
 * sets `packet_kind`.
 */
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
	return bpf_perf_event_output(ctx, &outlier_buffers, BPF_F_CURRENT_CPU, record,
				     outlier_size);
}

/*
 * Sends a record of the run that ends (the owner, see struct prog_cpu), unless the rate limit is
 * exceeded. @over: by how much the count of the run exceeds `outlier_above`. Ignores the run if
 * @over is at most the cost of counting the runs inside this run.
 */
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
	if (outlier_branches)
		add_branches(&to->record);
	if (send(ctx, &to->record))
		to->lost++;
	return 0;
}

#endif
