/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signals during long work. While pstat counts, SIGINT, SIGTERM and SIGHUP are blocked, and the
 * session receives them through a signalfd. Code that can run for a long time on other users' data
 * calls interrupt__is_due(), and stops early when it returns true.
 */
#ifndef PSTAT_BASE_INTERRUPT_H
#define PSTAT_BASE_INTERRUPT_H

#include <stdbool.h>

/*
 * Returns true if a blocked signal has been pending for 50 ms. Ordinary work finishes within this
 * time, so its results are complete. Each call makes one system call. Call it at least every 20 ms.
 */
bool interrupt__is_due(void);

#endif
