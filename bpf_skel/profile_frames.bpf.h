/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the frames of a sample that are in the chosen BPF programs (profile.h). A frame is the
 * sampled address, or an address in one of the callers of the sampled code.
 *
 * sampled ip  ──► in a range?  ┐
 * its callers ──► in ranges?   ┴► profile_frames.ips, innermost first
 *
 * A range is the code of one function of a chosen program. The kernel walks the stack. On x86-64,
 * the kernel uses frame pointers for BPF programs, and ORC tables for its own functions. On arm64,
 * the kernel always uses frame pointers. With frame pointers, the walk misses the caller of a
 * function that has no frame: see frameless_return().
 */
#ifndef PSTAT_PROFILE_FRAMES_BPF_H
#define PSTAT_PROFILE_FRAMES_BPF_H

#include "profile_sample.bpf.h"

#define RANGE_STEPS 24	/* steps of the binary search: enough for 16 million ranges */
#define STACK_DEPTH 127 /* PERF_MAX_STACK_DEPTH */

const volatile __u32 nr_ranges;
const volatile __u64 lowest, highest; /* all ranges are in [lowest, highest) */

/*
 * Index → range, in ascending order of the addresses. User space fills this map before it enables
 * the events.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct profile_range);
} ranges SEC(".maps");

/*
 * Data that is too large for the BPF stack. One buffer per CPU is enough, because the kernel never
 * nests perf event programs on a CPU (bpf_prog_active).
 */
struct walk {
	__u64 stack[STACK_DEPTH];
	struct profile_frames frames;
};

/* 0 → struct walk. Used only by BPF. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

/*
 * Returns the index of the range that contains @ip, plus 1, or 0 if no range contains @ip. The
 * function is global, so that the verifier checks it only once, and not for each frame.
 */
__noinline __u32 find_range(__u64 ip)
{
	__u32 low = 0, high = nr_ranges;

	for (int i = 0; i < RANGE_STEPS; i++) {
		__u32 middle = low + (high - low) / 2;
		struct profile_range *range;

		if (low >= high)
			break;
		range = bpf_map_lookup_elem(&ranges, &middle);
		if (!range)
			break;
		if (ip < range->start)
			high = middle;
		else if (ip >= range->end)
			low = middle + 1;
		else
			return middle + 1;
	}
	return 0;
}

static __always_inline __u32 range_of(__u64 ip)
{
	return ip < lowest || ip >= highest ? 0 : find_range(ip);
}

/*
 * Adds a frame. If the array is full, drops the frame. The innermost frames are added first, so
 * only outer frames are dropped.
 */
static __always_inline void add_frame(struct profile_frames *frames, __u64 ip)
{
	__u32 nr = frames->nr;

	if (nr >= PROFILE_MOST_FRAMES)
		return;
	frames->ips[nr] = ip;
	frames->nr = nr + 1;
}

/*
 * Adds a caller if it is in a range. A return address can be the first address of the next source
 * line or function. The address before the return address is always inside the call instruction, so
 * this function adds that address.
 */
static __always_inline void add_caller(struct profile_frames *frames, __u64 return_address)
{
	if (range_of(return_address - 1))
		add_frame(frames, return_address - 1);
}

/*
 * Returns the return address of the function at @ip if the function has not set up its frame yet,
 * or has removed it. The kernel's walk misses the caller of such a function. If the function has a
 * frame, returns 0 or an address that add_frameless() discards. @range: range_of(@ip).
 */
#ifdef PT_REGS_LINK_FIELD
/*
 * arm64: returns the link register. If the function at @ip has a frame, the register contains the
 * same return address as the frame, or, after the function has called another function, an address
 * in the function itself. If the address is signed (PAC), its upper bits contain the signature.
 * frameless_return() sets these bits, because they are all ones in the addresses of BPF programs.
 */
static __always_inline __u64 frameless_return(struct bpf_perf_event_data *ctx, __u64 ip,
					      __u32 range)
{
	return ctx->regs.PT_REGS_LINK_FIELD | 0xffff000000000000;
}
#else
/*
 * The maximum size in bytes of a function's code up to and including `mov rbp, rsp`
 * (emit_prologue() in arch/x86/net/bpf_jit_comp.c).
 */
#define PROLOGUE 16
#define LEAVE 0xc9 /* opcode of `leave`, which removes the frame */

/*
 * x86-64: in its first PROLOGUE bytes, a function of a BPF program may still be without a frame;
 * right after `leave`, it no longer has one. The return address is then on top of the stack or,
 * after `push rbp`, right above the saved rbp. For the kernel's own functions, returns 0, because
 * the kernel walks them with ORC tables.
 */
static __always_inline __u64 frameless_return(struct bpf_perf_event_data *ctx, __u64 ip,
					      __u32 range)
{
	__u32 place = range - 1;
	struct profile_range *at = range ? bpf_map_lookup_elem(&ranges, &place) : (void *)0;
	__u64 top[2] = {};
	__u8 before = 0;

	if (!at)
		return 0;
	if (ip - at->start >= PROLOGUE) {
		bpf_probe_read_kernel(&before, sizeof(before), (const void *)(ip - 1));
		if (before != LEAVE)
			return 0;
	}
	bpf_probe_read_kernel(top, sizeof(top), (const void *)ctx->regs.sp);
	return before == LEAVE || range_of(top[0] - 1) ? top[0] : top[1];
}
#endif

/*
 * If the kernel's walk missed the caller of the sampled function, and this caller is in a range,
 * adds the caller. @next: the first return address that the walk found; 0: it found none.
 */
static __always_inline void add_frameless(struct bpf_perf_event_data *ctx,
					  struct profile_frames *frames, __u32 range, __u64 next)
{
	__u64 address = frameless_return(ctx, sample_ip(ctx), range);

	if (address && address != next && range_of(address - 1) != range)
		add_caller(frames, address);
}

/* Fills walk->frames. Returns 0, or a negative errno if the kernel could not walk the stack. */
static __always_inline long walk_stack(struct bpf_perf_event_data *ctx, struct walk *walk)
{
	__u64 ip = sample_ip(ctx);
	__u32 range = range_of(ip);
	long size, first, nr;

	__builtin_memset(&walk->frames, 0, sizeof(walk->frames));
	walk->frames.in_callee = !range;
	if (range)
		add_frame(&walk->frames, ip);
	if (!is_kernel_ip(ip))
		return 0;
	size = bpf_get_stack(ctx, walk->stack, sizeof(walk->stack), 0);
	if (size < 0)
		return size;
	nr = size / sizeof(__u64);
	/*
	 * the stack begins with the sampled address or, for precise events, with a mark
	 * (PERF_CONTEXT_KERNEL) before the sampled address
	 */
	first = is_context_mark(walk->stack[0]) ? 2 : 1;
	add_frameless(ctx, &walk->frames, range, nr > first ? walk->stack[first] : 0);
	for (int i = 1; i < STACK_DEPTH && i < nr; i++)
		if (i >= first)
			add_caller(&walk->frames, walk->stack[i]);
	return 0;
}

#endif
