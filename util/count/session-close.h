/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of a session: waits until the kernel has closed its tracepoints (util/count/last-close.h). */
#ifndef PSTAT_COUNT_SESSION_CLOSE_H
#define PSTAT_COUNT_SESSION_CLOSE_H

struct wakeups;

/*
 * Closes the events that are still open. Where that takes more than a second, says so on a terminal. Returns 0 once they are closed, or the
 * signal that ended the wait: a child process then closes the rest.
 */
int session_close(struct wakeups *wakeups);

#endif
