// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program of bpf-nest.c. A run sends a copy of its packet to the interface to which the program
 * is attached, so that the runs are nested.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define LOOPBACK 1 /* interface index of lo */
#define TCX_NEXT -1

__u64 counter; /* runs so far */
__u32 depth;   /* number of runs to nest in a run */

SEC("tc")
int nest(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&counter, 1);
	/* ignore packets of other programs, and copies at the full depth */
	if (skb->mark < 0x100 || skb->mark >= 0x100 + depth)
		return TCX_NEXT;
	skb->mark++;
	bpf_clone_redirect(skb, LOOPBACK, 0);
	return TCX_NEXT;
}

char LICENSE[] SEC("license") = "GPL";
