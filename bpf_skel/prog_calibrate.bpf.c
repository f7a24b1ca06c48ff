// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that do nothing, to measure what counting them costs: one alone, and one inside another. They are of a type that can be
 * run many times by one system call; so are XDP's, but those the kernel patches into its dispatcher for each of the calls.
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

	/* what it returns is not known to the caller, which so has to call it */
	asm volatile("" : "+r"(verdict));
	return verdict;
}

SEC("tc")
int pstat_outer(struct __sk_buff *ctx)
{
	return pstat_inner(ctx);
}
