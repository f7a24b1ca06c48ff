/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets a signal end long work. While pstat counts, SIGINT, SIGTERM and SIGHUP are blocked, and the
 * session reads them from a signalfd. Code that can run for a long time on other users' data calls
 * interrupt__is_due(), and stops when the function returns true.
 */
#ifndef PSTAT_BASE_INTERRUPT_H
#define PSTAT_BASE_INTERRUPT_H

#include <stdbool.h>

/*
 * Returns true if SIGINT, SIGTERM or SIGHUP has been pending for 50 ms. This delay lets ordinary
 * work finish after a signal. Makes one system call. Callers should call this function at least
 * every 20 ms.
 */
bool interrupt__is_due(void);

#endif
