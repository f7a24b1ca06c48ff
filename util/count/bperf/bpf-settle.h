/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a program on CPUs that does at other times what the CPUs do by themselves: counts up to this moment are in its maps then. */
#ifndef PSTAT_COUNT_BPF_SETTLE_H
#define PSTAT_COUNT_BPF_SETTLE_H

struct cpumap;

/*
 * Runs the raw_tp program @prog_fd once on each of @cpus, without a ctx: on other CPUs by interrupt, on the one that this is on by a plain call,
 * in whose middle another session's run may come. What runs there is this process, so that it is at most its own slice of which a
 * count is left out. To move away first would take as long as a busy CPU makes a thread wait, some 100 ms, and that between the time
 * of a reading and the reading. CPUs that are offline are left out. 0 or -errno.
 */
int bpf_settle__cpus(int prog_fd, const struct cpumap *cpus);

#endif
