/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --smi-cost: while pstat counts, the kernel stops the counters during system management interrupts
 * (Intel's freeze_on_smi), so that cycles and aperf differ by what the interrupts took.
 */
#ifndef PSTAT_BUILTIN_STAT_SMI_H
#define PSTAT_BUILTIN_STAT_SMI_H

#include <stdbool.h>

/* 0 if the machine has the setting, else the exit code after perf's message. */
int stat_smi__check(void);
/*
 * Switches the setting on. *@changed says whether it was off, and stat_smi__thaw() must switch it
 * off again. 0, or the exit code after a message.
 */
int stat_smi__freeze(bool *changed);
void stat_smi__thaw(void);

#endif
