/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out whether the kernel has the helpers that BPF programs need to read packets (--packet),
 * and to get the ids of tasks in a PID namespace. Also finds the struct members from which these
 * programs compute the length of a packet. pstat looks up the helpers in the kernel's BTF instead
 * of loading, for each helper, a tracing program that calls it.
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
	/*
	 * `has_skb`: packets can be read with bpf_skb_output (since Linux 5.5); `has_xdp`: packets
	 * can be read with bpf_xdp_output (since Linux 5.7)
	 */
	bool has_skb, has_xdp;
	bool has_pid_ns; /* the kernel has bpf_get_ns_current_pid_tgid (since Linux 5.7) */
};

/* Sets all members of @kernel. Returns 0, or -errno with the reason in @why. */
int prog_kernel__look(const struct sysroots *roots, struct prog_kernel *kernel, struct strbuf *why);

#endif
