/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps one event of each tracepoint open until the session ends, and then closes these events in a
 * separate process.
 *
 * When the last event of a tracepoint is closed, the kernel waits for an RCU grace period (30 to 40
 * ms) while it holds event_mutex (perf_trace_destroy() in kernel/trace/trace_event_perf.c). So
 * closing the events of 350 tracepoints takes up to 14 s, and an exiting process does not react to
 * signals during this time. Closing them in several threads would not be faster, because only one
 * thread at a time can hold event_mutex.
 */
#ifndef PSTAT_COUNT_LAST_CLOSE_H
#define PSTAT_COUNT_LAST_CLOSE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Takes over @fd, the fd of an event of the tracepoint with the ID @tracepoint. If no event of this
 * tracepoint is kept open yet, disables the event and keeps it open. Otherwise, closes the event
 * immediately, which is fast because the kept event is still open.
 */
void last_close__put(int fd, uint64_t tracepoint);

/* Returns the number of events that are kept open. */
int last_close__nr(void);

/*
 * Closes the kept events. If there are more than four, forks a child process that closes them. The
 * child inherits the signal mask of the caller. Returns the pid of the child, for which the caller
 * may wait, or 0 if there is no child.
 */
pid_t last_close__begin(void);

#endif
