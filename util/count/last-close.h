/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Closes the last event of each tracepoint late, and in a separate process.
 *
 * When the last event of a tracepoint is closed, the kernel waits for an RCU grace period (30 to 40
 * ms) and holds event_mutex (perf_trace_destroy() in kernel/trace/trace_event_perf.c). Threads that
 * close events of different tracepoints therefore wait for each other: closing 350 tracepoints
 * takes 14 s, and a process that exits during this time does not react to signals. Only the last
 * event of a tracepoint is slow to close.
 */
#ifndef PSTAT_COUNT_LAST_CLOSE_H
#define PSTAT_COUNT_LAST_CLOSE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Takes over @fd, an event of the tracepoint with the ID @tracepoint. Keeps the first event of each
 * tracepoint open but disabled, and closes all others. As long as this event is open, it is fast to
 * open and close other events of the tracepoint.
 */
void last_close__put(int fd, uint64_t tracepoint);

/* Returns the number of events that are kept open. */
int last_close__nr(void);

/*
 * Closes the kept events. If there are more than a few, a child process closes them. It ignores the
 * signals that are blocked here. Returns the pid of the child, which the caller may wait for, or 0
 * if there is no child.
 */
pid_t last_close__begin(void);

#endif
