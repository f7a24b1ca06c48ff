/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets a signal stop long-running work. While pstat counts, SIGINT, SIGTERM and SIGHUP are blocked,
 * and pstat reads them from a signalfd, but only when it does no other work. Code that processes
 * other users' data can run for a long time, so such code calls interrupt__is_due(), and stops when
 * the function returns true.
 */
#ifndef PSTAT_BASE_INTERRUPT_H
#define PSTAT_BASE_INTERRUPT_H

#include <stdbool.h>

/*
 * Returns true if SIGINT, SIGTERM or SIGHUP is pending, and if an earlier call noticed this at
 * least 50 ms ago. This delay lets ordinary work finish after a signal. Makes one system call.
 * Callers should call this function at least every 20 ms.
 */
bool interrupt__is_due(void);

#endif
