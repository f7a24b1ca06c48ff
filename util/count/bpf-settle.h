/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a program on CPUs that does at other times what the CPUs do by themselves: counts up to this moment are in its maps then. */
#ifndef PSTAT_COUNT_BPF_SETTLE_H
#define PSTAT_COUNT_BPF_SETTLE_H

struct cpumap;

/*
 * Runs the raw_tp program @prog_fd once on each of @cpus, without a ctx, from another CPU than the one it runs on where there is
 * another: then it comes by interrupt, and no other session's run can come in the middle of it. CPUs that are offline are left
 * out. 0 or -errno.
 */
int bpf_settle__cpus(int prog_fd, const struct cpumap *cpus);

#endif
