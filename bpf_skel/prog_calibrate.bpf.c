// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that do nothing. pstat uses them to measure the cost of counting a single run
 * (pstat_alone), and of counting a run (pstat_inner) inside another counted run (pstat_outer). The
 * programs have the type tc, because one system call (BPF_PROG_TEST_RUN) can run a tc program many
 * times. It can do the same for an XDP program, but each call then changes the XDP dispatcher,
 * which is expensive.
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
