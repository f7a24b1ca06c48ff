/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Long work and signals. While pstat counts, SIGINT, SIGTERM and SIGHUP are blocked and wait for the session's signalfd. Work that can take long
 * on data of other users asks here whether one of them is waiting, and then stops early.
 */
#ifndef PSTAT_BASE_INTERRUPT_H
#define PSTAT_BASE_INTERRUPT_H

#include <stdbool.h>

/*
 * True once a blocked signal has been waiting for 50 ms: ordinary work ends by itself in this time and stays complete. It costs one
 * system call. Call it at least every 20 ms.
 */
bool interrupt__is_due(void);

#endif
