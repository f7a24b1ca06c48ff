// SPDX-License-Identifier: GPL-2.0-only
/* For bpf-nest.c: sends a copy of each packet to where it is seen itself, so that its runs are inside one another. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define LOOPBACK 1 /* index of the interface */
#define TCX_NEXT -1

__u64 counter; /* runs so far */
__u32 depth;   /* runs inside the first */

SEC("tc")
int nest(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&counter, 1);
	/* a packet that is not one of ours is let alone */
	if (skb->mark < 0x100 || skb->mark >= 0x100 + depth)
		return TCX_NEXT;
	skb->mark++;
	bpf_clone_redirect(skb, LOOPBACK, 0);
	return TCX_NEXT;
}

char LICENSE[] SEC("license") = "GPL";
