/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --smi-cost measures the cost of system management interrupts. While pstat counts, the setting
 * freeze_on_smi of Intel's PMU is on. It stops the PMU's counters during these interrupts. The
 * counter aperf is not stopped, so the difference between aperf and cycles is the cost of the
 * interrupts.
 */
#ifndef PSTAT_BUILTIN_STAT_SMI_H
#define PSTAT_BUILTIN_STAT_SMI_H

#include <stdbool.h>

/*
 * Returns 0 if the machine has the setting freeze_on_smi. Otherwise, returns the exit code after
 * printing perf's message.
 */
int stat_smi__check(void);
/*
 * Switches the setting on. Sets *@changed to false if the user had already switched it on, or after
 * an error. Otherwise, sets *@changed to true, and the caller must call stat_smi__thaw() after
 * counting. Returns 0, or the exit code after reporting an error.
 */
int stat_smi__freeze(bool *changed);
/* Switches the setting off, unless another session still uses it. */
void stat_smi__thaw(void);

#endif
