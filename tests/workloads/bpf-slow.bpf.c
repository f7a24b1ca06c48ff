// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs that bpf-slow runs, one for each kind of packet. Each run whose number is a multiple
 * of `every` is slow: it executes a loop of `loops` iterations.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define NUMBER_AT 14 /* after the Ethernet header */

__u64 every; /* written by user space */
__u64 loops;
__u64 runs; /* runs so far */
__u64 slow; /* slow runs so far */

static __u64 turns;

static int turn(__u32 index, void *unused)
{
	turns += index;
	return 0;
}

static __always_inline __u64 run(void)
{
	__u64 number = __sync_fetch_and_add(&runs, 1) + 1;

	if (every && number % every == 0) {
		__sync_fetch_and_add(&slow, 1);
		bpf_loop(loops, turn, (void *)0, 0);
	}
	return number;
}

/* Writes the number of the run into the packet. */
SEC("xdp")
int slow_xdp(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u64 number = run();

	if (data + NUMBER_AT + sizeof(number) <= end)
		__builtin_memcpy(data + NUMBER_AT, &number, sizeof(number));
	return XDP_PASS;
}

SEC("tc")
int slow_tc(struct __sk_buff *skb)
{
	__u64 number = run();

	bpf_skb_store_bytes(skb, NUMBER_AT, &number, sizeof(number), 0);
	return 0;
}

SEC("socket")
int slow_socket(struct __sk_buff *skb)
{
	run();
	return 0;
}

/* BTF does not contain the type of the context, so tracing programs cannot find the packet. */
SEC("xdp")
int slow_untyped(void *ctx)
{
	run();
	return XDP_PASS;
}

SEC("raw_tp")
int slow_raw_tp(void *ctx)
{
	run();
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
