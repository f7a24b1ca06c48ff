/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program at the context switch, for runs that can lose their CPU: when it is needed, and how
 * it is attached.
 */
#ifndef PSTAT_COUNT_PROG_SWITCH_H
#define PSTAT_COUNT_PROG_SWITCH_H

#include <stdbool.h>

struct bpf_prog;
struct prog_shape;
struct prog_switch;

/*
 * Returns whether this kernel can preempt a task that runs in the kernel, and so a run that does
 * not sleep.
 */
bool prog_switch__kernel_preempts(void);

/*
 * Returns whether the kernel lets programs of this type sleep. It does not report whether this
 * program may.
 */
bool prog_switch__may_sleep(const struct bpf_prog *prog);

/*
 * Excludes the time in which other tasks have the CPU from the runs of the targets, if runs can
 * sleep or be preempted.
 */
int prog_switch__attach(const struct prog_shape *shape, struct prog_switch **out);
void prog_switch__detach(struct prog_switch *hook);

#endif
