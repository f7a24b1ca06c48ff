/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --smi-cost: while pstat counts, the CPU stops the core's counters during system management
 * interrupts (Intel's freeze_on_smi), so that the difference between aperf and cycles is the cost
 * of these interrupts.
 */
#ifndef PSTAT_BUILTIN_STAT_SMI_H
#define PSTAT_BUILTIN_STAT_SMI_H

#include <stdbool.h>

/*
 * Returns 0 if the machine has the setting; otherwise the exit code, after printing perf's message.
 */
int stat_smi__check(void);
/*
 * Switches the setting on. *@changed is true unless the user had switched it on: stat_smi__thaw()
 * must then be called, which switches it off when the last session ends. Returns 0, or the exit
 * code after reporting an error.
 */
int stat_smi__freeze(bool *changed);
void stat_smi__thaw(void);

#endif
