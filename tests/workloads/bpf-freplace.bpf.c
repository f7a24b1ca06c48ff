// SPDX-License-Identifier: GPL-2.0-only
/*
 * of_freplace replaces the function `replaced` in bpf-types.bpf.c, and of_traced runs before
 * of_replaced there.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("freplace/replaced")
int of_freplace(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("fentry")
int of_traced(void *ctx)
{
	return 0;
}
