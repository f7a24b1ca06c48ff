/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Closes the last event of each tracepoint late, and in a separate process.
 *
 * When the last event of a tracepoint is closed, the kernel waits for an RCU grace period (30 to 40
 * ms) while it holds event_mutex (perf_trace_destroy() in kernel/trace/trace_event_perf.c). Threads
 * that close different tracepoints therefore wait for each other: 350 tracepoints take 14 s, and a
 * process that exits during that time does not react to signals. Any event of a tracepoint other
 * than the last is closed at once.
 */
#ifndef PSTAT_COUNT_LAST_CLOSE_H
#define PSTAT_COUNT_LAST_CLOSE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Takes @fd, an event of the tracepoint with the id @tracepoint. Disables and keeps the first event
 * of each tracepoint, and closes all others. As long as an event is kept, opening and closing its
 * tracepoint is fast.
 */
void last_close__put(int fd, uint64_t tracepoint);

/* Returns the number of events that are kept. */
int last_close__nr(void);

/*
 * Closes the events that are kept. If there are more than a few, a child process closes them, which
 * ignores the signals that are blocked here. Returns the pid of that child, which the caller may
 * wait for, or 0 if there is none.
 */
pid_t last_close__begin(void);

#endif
