/* SPDX-License-Identifier: GPL-2.0-only */
/* What a running count waits for: the next interval, the time limit, a signal, the end of the command or of the threads. */
#ifndef PSTAT_COUNT_WAKEUPS_H
#define PSTAT_COUNT_WAKEUPS_H

#include <stdbool.h>
#include <stdint.h>

struct threadmap;
struct wakeups;

/* Bits of what wakeups__wait() found. */
enum wakeup {
	WAKEUP_INTERVAL = 1 << 0,
	WAKEUP_TIMEOUT = 1 << 1,
	WAKEUP_SIGNAL = 1 << 2,
	WAKEUP_COMMAND = 1 << 3, /* the command has ended */
	WAKEUP_TARGETS = 1 << 4, /* all the threads have ended */
};

/*
 * Blocks SIGINT, SIGTERM and (unless it was ignored) SIGHUP from here to wakeups__free(), which restores the mask: they are taken by
 * wakeups__wait(). 0 or -errno.
 */
int wakeups__new(struct wakeups **wakeups);
void wakeups__free(struct wakeups *wakeups);

/* End when all of @threads have. 0 or -errno. */
int wakeups__watch_threads(struct wakeups *wakeups, const struct threadmap *threads);
/* End when the process behind @pidfd has; the fd stays the caller's. */
void wakeups__watch_command(struct wakeups *wakeups, int pidfd);

/*
 * Ticks at @start + n × @interval, on CLOCK_MONOTONIC, and the limit at @start + @timeout; 0 is none. The grid does not
 * drift: a tick that is served late does not move those after it. 0 or -errno.
 */
int wakeups__start_timers(struct wakeups *wakeups, uint64_t start_ns, uint64_t interval_ns, uint64_t timeout_ns);

/* Sleeps until something happens. A mask of enum wakeup, or -errno. */
int wakeups__wait(struct wakeups *wakeups);

/* The signal behind the last WAKEUP_SIGNAL. */
int wakeups__signal(const struct wakeups *wakeups);
/* Ticks that had passed unserved when a later one was found, all in all. */
uint64_t wakeups__missed(const struct wakeups *wakeups);

#endif
