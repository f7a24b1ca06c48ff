// SPDX-License-Identifier: GPL-2.0-only
/*
 * In each run, of_throw throws an exception in a function that is called two levels deep. It needs
 * bpf_throw() (Linux 6.7).
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

extern void bpf_throw(__u64 cookie) __ksym;

volatile int how = 1;

__attribute__((noinline)) int throws(int depth)
{
	if (how)
		bpf_throw(0);
	return depth;
}

__attribute__((noinline)) int calls(int depth)
{
	return throws(depth + 1) + 1;
}

__attribute__((noinline)) int harmless(int depth)
{
	return depth + how;
}

SEC("xdp")
int of_throw(struct xdp_md *ctx)
{
	return harmless(0) + calls(0) ? XDP_PASS : XDP_DROP;
}
