/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernels that have trampolines differ in, as far as --packet and ids of tasks depend on it: read from the kernel's own types, since
 * helpers for tracing programs can be tried in no others.
 */
#ifndef PSTAT_COUNT_PROG_KERNEL_H
#define PSTAT_COUNT_PROG_KERNEL_H

#include <stdbool.h>

#include <linux/types.h>
#include "bpf_skel/prog_outliers.h"

struct strbuf;
struct sysroots;

struct prog_kernel {
	struct prog_packet_layout packets;
	bool has_skb,
		has_xdp; /* packets of that kind can be streamed: bpf_skb_output (5.5), bpf_xdp_output (5.7) and the places above */
	bool has_pid_ns; /* bpf_get_ns_current_pid_tgid (5.7) */
};

/* Where this kernel says nothing of its types, it has no trampolines either. */
int prog_kernel__look(const struct sysroots *roots, struct prog_kernel *kernel, struct strbuf *why);

#endif
