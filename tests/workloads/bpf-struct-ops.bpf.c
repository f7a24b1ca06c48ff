// SPDX-License-Identifier: GPL-2.0-only
/*
 * A TCP congestion control that does almost nothing. of_struct_ops runs once for each connection
 * that uses it.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

struct sock;

/* the kernel's struct, with only the members that are set here; libbpf finds them by name */
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*init)(struct sock *sk);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
} __attribute__((preserve_access_index));

SEC("struct_ops/of_struct_ops")
void BPF_PROG(of_struct_ops, struct sock *sk)
{
}

SEC("struct_ops/any_window")
__u32 BPF_PROG(any_window, struct sock *sk)
{
	return 10;
}

SEC("struct_ops/other_window")
__u32 BPF_PROG(other_window, struct sock *sk)
{
	return 10;
}

SEC("struct_ops/no_avoidance")
void BPF_PROG(no_avoidance, struct sock *sk, __u32 ack, __u32 acked)
{
}

SEC(".struct_ops")
struct tcp_congestion_ops congestion = {
	.ssthresh = (void *)any_window,
	.cong_avoid = (void *)no_avoidance,
	.init = (void *)of_struct_ops,
	.undo_cwnd = (void *)other_window,
	.name = "bpf_types",
};
