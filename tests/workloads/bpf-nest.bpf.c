// SPDX-License-Identifier: GPL-2.0-only
/*
 * For bpf-nest.c. The program sends a copy of each packet to the interface that it is attached to,
 * so that its runs are nested.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define LOOPBACK 1 /* interface index of lo */
#define TCX_NEXT -1

__u64 counter; /* runs so far */
__u32 depth;   /* number of nested runs */

SEC("tc")
int nest(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&counter, 1);
	/* Ignores packets that bpf-nest did not send. */
	if (skb->mark < 0x100 || skb->mark >= 0x100 + depth)
		return TCX_NEXT;
	skb->mark++;
	bpf_clone_redirect(skb, LOOPBACK, 0);
	return TCX_NEXT;
}

char LICENSE[] SEC("license") = "GPL";
