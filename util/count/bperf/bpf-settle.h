/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a program on CPUs that normally runs there at context switches. Its maps then contain counts
 * up to this moment.
 */
#ifndef PSTAT_COUNT_BPF_SETTLE_H
#define PSTAT_COUNT_BPF_SETTLE_H

struct cpumap;

/*
 * Runs the raw_tp program @prog_fd once on each of @cpus, without a ctx. On other CPUs, it runs in
 * an interrupt. On the CPU of the caller, it runs in a plain call, which the run of another session
 * may interrupt. Only this process runs there then, so only its own slice can lose a count. Moving
 * to another CPU first would take as long as a busy CPU makes a thread wait, about 100 ms, between
 * the time of a reading and the reading. Skips CPUs that are offline. Returns 0 or -errno.
 */
int bpf_settle__cpus(int prog_fd, const struct cpumap *cpus);

#endif
