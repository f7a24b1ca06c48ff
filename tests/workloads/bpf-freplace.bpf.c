// SPDX-License-Identifier: GPL-2.0-only
/* Stands in for the function `replaced` of bpf-types.bpf.c. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("freplace/replaced")
int of_freplace(struct xdp_md *ctx)
{
	return XDP_PASS;
}
