/* SPDX-License-Identifier: GPL-2.0-only */
/* The program at the context switch, for runs that can lose their CPU: where it is needed, and its attachment. */
#ifndef PSTAT_COUNT_PROG_SWITCH_H
#define PSTAT_COUNT_PROG_SWITCH_H

#include <stdbool.h>

struct bpf_prog;
struct prog_shape;
struct prog_switch;

/* Can this kernel take the CPU from a task that runs in the kernel? Then it can take it from a run that does not sleep, too. */
bool prog_switch__kernel_preempts(void);

/* Does the kernel let programs of this type sleep? Whether it does with this one, it does not tell. */
bool prog_switch__may_sleep(const struct bpf_prog *prog);

/*
 * Takes the time in which other tasks have the CPU off the runs of the targets: what keeps that from being counted where runs can
 * sleep or be preempted.
 */
int prog_switch__attach(const struct prog_shape *shape, struct prog_switch **out);
void prog_switch__detach(struct prog_switch *hook);

#endif
