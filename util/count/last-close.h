/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Closes the last event of each tracepoint late, and in a process of its own.
 *
 * When the last event of a tracepoint is closed, the kernel waits for a grace period of RCU (30 to 40 ms) with event_mutex held
 * (perf_trace_destroy() in kernel/trace/trace_event_perf.c). Threads that close different tracepoints therefore wait for each other, 350
 * tracepoints take 14 s, and a process that exits meanwhile does not react to signals. Any other event of the tracepoint is closed at once.
 */
#ifndef PSTAT_COUNT_LAST_CLOSE_H
#define PSTAT_COUNT_LAST_CLOSE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Closes @fd, an event of the tracepoint with that id, or disables and keeps it if it is the first one that is given. Opening and closing
 * the tracepoint is then quick until last_close__begin().
 */
void last_close__put(int fd, uint64_t tracepoint);

/* How many events are kept. */
int last_close__nr(void);

/*
 * Closes the events that are kept: a few at once, more of them in a child process that ignores the signals that are blocked here.
 * Returns the child's pid, for which the caller may wait, or 0 without a child.
 */
pid_t last_close__begin(void);

#endif
