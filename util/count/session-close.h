/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of a session: waits until the kernel has closed the session's tracepoints
 * (util/count/last-close.h).
 */
#ifndef PSTAT_COUNT_SESSION_CLOSE_H
#define PSTAT_COUNT_SESSION_CLOSE_H

#include <stdbool.h>

struct wakeups;

/*
 * Closes the events that are still open. If that takes more than a second and stderr is a terminal,
 * explains the wait. Returns 0 once the events are closed, or the number of the signal that ended
 * the wait; a child process then closes the rest. If not @wait, returns 0 at once and leaves all
 * events to the child.
 */
int session_close(struct wakeups *wakeups, bool wait);

#endif
