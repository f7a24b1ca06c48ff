/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes what the programs of all targets share: their maps, and the program at the context switch. */
#ifndef PSTAT_COUNT_PROG_SHARED_H
#define PSTAT_COUNT_PROG_SHARED_H

#include <stdbool.h>
#include <stdint.h>

struct backend_group;
struct bpf_prog;
struct cpumap;
struct prog_fds;
struct prog_shape;
struct prog_switch;
struct stat_config;

/*
 * The maps of @shape, filled: the perf events of @fds by CPU id, the CPUs on which runs do not count, the tasks and control
 * groups in which they do. The events are placed by now. 0 or -errno, told.
 */
int prog_shared__make_maps(struct prog_shape *shape, const struct backend_group *group, const struct prog_fds *fds,
			   const struct cpumap *possible, const struct stat_config *cfg);

/* Runs that were given up on all CPUs, as it was not certain what they cost. 0 also when the map cannot be read. */
uint64_t prog_shared__lost(const struct prog_shape *shape, const struct cpumap *possible);

/* Can this kernel take the CPU from a task that runs in the kernel? Then it can take it from a run that does not sleep, too. */
bool prog_switch__kernel_preempts(void);

/* Does the kernel let programs of this type sleep? Whether it does with this one, it does not tell. */
bool prog_switch__may_sleep(const struct bpf_prog *prog);

/*
 * Takes the time in which other tasks have the CPU off the runs of the targets: what keeps that from being counted where runs can
 * sleep or be preempted. 0 and *@out, or -errno, told.
 */
int prog_switch__attach(const struct prog_shape *shape, struct prog_switch **out);
void prog_switch__detach(struct prog_switch *hook);

#endif
