// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that do nothing, to measure the cost of counting: one program alone, and one inside
 * another. Programs of type tc are used, because the kernel can run them many times in one system
 * call. For XDP programs, such a call also changes the XDP dispatcher.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "needs_btf.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("tc")
int pstat_alone(struct __sk_buff *ctx)
{
	return 0;
}

__attribute__((noinline)) int pstat_inner(struct __sk_buff *ctx)
{
	int verdict = 0;

	/* hides the result from the compiler, so that the caller has to call this function */
	asm volatile("" : "+r"(verdict));
	return verdict;
}

SEC("tc")
int pstat_outer(struct __sk_buff *ctx)
{
	return pstat_inner(ctx);
}
