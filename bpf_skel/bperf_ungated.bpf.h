/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces bperf_gate.bpf.h for programs that are not used with --start or --stop. Here, `gated` is
 * a compile-time constant, so the compiler omits the code of the gate.
 */
#ifndef PSTAT_BPERF_UNGATED_BPF_H
#define PSTAT_BPERF_UNGATED_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "bperf.h"

#define GATE_WHOLE 1

enum { gated = false };

static __always_inline __u64 gate_scale(__u64 delta, __u64 share)
{
	return delta * share;
}

static __always_inline __u64 share_until_now(const struct bperf_state *s)
{
	(void)s;
	return GATE_WHOLE;
}

#endif
