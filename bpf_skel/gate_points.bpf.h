/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The programs at the points of --start and --stop, one for each kind of point. A file that
 * includes this header must define pass_point(), which opens or closes the gate.
 */
#ifndef PSTAT_GATE_POINTS_BPF_H
#define PSTAT_GATE_POINTS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "gate.h"

/*
 * Called when a thread passes a point. @stop: true at a point of --stop, false at a point of
 * --start. Returns 0.
 */
static __noinline int pass_point(bool stop);

/* uprobes and USDT points */
SEC("?uprobe")
int pstat_gate(void *ctx)
{
	return pass_point(bpf_get_attach_cookie(ctx) == GATE_STOP);
}

/* functions of the kernel */
SEC("?kprobe")
int pstat_gate_func(void *ctx)
{
	return pass_point(bpf_get_attach_cookie(ctx) == GATE_STOP);
}

/* tracepoints, including the tracepoints of system calls */
SEC("?tracepoint")
int pstat_gate_tp(void *ctx)
{
	return pass_point(bpf_get_attach_cookie(ctx) == GATE_STOP);
}

#endif
