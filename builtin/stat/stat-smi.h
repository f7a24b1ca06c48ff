/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --smi-cost: while pstat counts, the CPU stops the counters of the core during system management
 * interrupts (Intel's freeze_on_smi). So the difference between aperf and cycles is the cost of
 * these interrupts.
 */
#ifndef PSTAT_BUILTIN_STAT_SMI_H
#define PSTAT_BUILTIN_STAT_SMI_H

#include <stdbool.h>

/*
 * Returns 0 if the machine has the setting; otherwise, returns the exit code after printing perf's
 * message.
 */
int stat_smi__check(void);
/*
 * Switches the setting on. Sets *@changed to false if the user had already switched it on.
 * Otherwise, *@changed is true, and stat_smi__thaw() must be called, which switches the setting off
 * when the last session ends. Returns 0, or the exit code after reporting an error.
 */
int stat_smi__freeze(bool *changed);
void stat_smi__thaw(void);

#endif
