/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Properties of the kernel on which --packet and the ids of tasks depend. They are read from the
 * kernel's BTF, because testing a helper would require loading a tracing program that calls the
 * helper.
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
	 * packets can be read with bpf_skb_output (Linux 5.5), and with bpf_xdp_output (Linux 5.7)
	 */
	bool has_skb, has_xdp;
	bool has_pid_ns; /* the kernel has bpf_get_ns_current_pid_tgid (Linux 5.7) */
};

/* Reads the properties. Returns 0, or -errno with the reason in @why. */
int prog_kernel__look(const struct sysroots *roots, struct prog_kernel *kernel, struct strbuf *why);

#endif
