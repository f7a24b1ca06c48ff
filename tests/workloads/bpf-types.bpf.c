// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs that bpf-types loads, one of each type. A program is named after its type, and does
 * as little as possible.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

SEC("socket")
int of_socket(void *ctx)
{
	return 0;
}

SEC("tc")
int of_tc(void *ctx)
{
	return 0;
}

SEC("cgroup_skb/egress")
int of_cgroup_skb(void *ctx)
{
	return 1;
}

SEC("cgroup/sock_create")
int of_cgroup_sock(void *ctx)
{
	return 1;
}

SEC("kprobe")
int of_kprobe(void *ctx)
{
	return 0;
}

SEC("tp/syscalls/sys_enter_getpgid")
int of_tracepoint(void *ctx)
{
	return 0;
}

SEC("raw_tp")
int of_raw_tp(void *ctx)
{
	return 0;
}

SEC("raw_tp/sched_switch")
int of_switch(void *ctx)
{
	return 0;
}

struct task_struct {
	void *cgroups;
} __attribute__((preserve_access_index));

/* Uses the BTF of the kernel to read fields of tasks directly. */
SEC("tp_btf/sched_switch")
int of_tp_btf(__u64 *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx[1],
			   *next = (struct task_struct *)ctx[2];

	return prev->cgroups == next->cgroups;
}

SEC("perf_event")
int of_perf_event(void *ctx)
{
	return 0;
}

SEC("iter/task")
int of_iter(void *ctx)
{
	return 0;
}

SEC("fentry/bpf_fentry_test1")
int of_fentry(void *ctx)
{
	return 0;
}

SEC("lsm/task_getpgid")
int of_lsm(void *ctx)
{
	return 0;
}

SEC("syscall")
int of_syscall(void *ctx)
{
	return 0;
}

/* of_freplace replaces this function of of_replaced */
__attribute__((noinline)) int replaced(struct xdp_md *ctx)
{
	volatile int ret = XDP_PASS;

	return ctx ? ret : XDP_DROP;
}

SEC("xdp")
int of_replaced(struct xdp_md *ctx)
{
	return replaced(ctx);
}
