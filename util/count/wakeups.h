/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for what a running count reacts to: the end of a delay, the next interval, the time limit, a
 * signal, a line of --control, and the end of the counted command or threads.
 *
 *	wakeups__new ──► wakeups__watch_*, wakeups__start_* ──► wakeups__wait … ──► wakeups__reset
 *	                                    ▲                                              │
 *	                                    └──────────────────────────────────────────────┘
 */
#ifndef PSTAT_COUNT_WAKEUPS_H
#define PSTAT_COUNT_WAKEUPS_H

#include <signal.h>
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
	WAKEUP_DELAY = 1 << 5,
	WAKEUP_CONTROL = 1 << 6, /* the control fd is readable, or its other side has gone */
	WAKEUP_BACKEND = 1 << 7, /* a backend has something to do */
	WAKEUP_ROUND = 1 << 8,	 /* see wakeups__start_rounds() */
	WAKEUP_CPUS = 1 << 9,	 /* CPUs may have gone offline or come online */
};

/*
 * Blocks SIGINT, SIGTERM and (unless it was ignored) SIGHUP from here to wakeups__free(), which restores the mask: they are taken by
 * wakeups__wait(). SIGPIPE too, which waits until then: who writes to a pipe that nobody reads gets EPIPE and can end in order.
 * 0 or -errno.
 */
int wakeups__new(struct wakeups **wakeups);
void wakeups__free(struct wakeups *wakeups);
/* The signal mask of before, which children should have. */
const sigset_t *wakeups__old_mask(const struct wakeups *wakeups);
/* Forgets all that is watched and the timers; signals that came meanwhile are still found. */
void wakeups__reset(struct wakeups *wakeups);

/* End when all of @threads have. 0 or -errno. */
int wakeups__watch_threads(struct wakeups *wakeups, const struct threadmap *threads);
/* End when the process behind @pidfd has; the fd stays the caller's. */
void wakeups__watch_command(struct wakeups *wakeups, int pidfd);
/* @fd stays the caller's; -1 to look no more. */
void wakeups__watch_control(struct wakeups *wakeups, int fd);

/* The same for an fd of a backend. */
void wakeups__watch_backend(struct wakeups *wakeups, int fd);
/* Watches the fd of cpu-watch.h, which the caller keeps. With -1 it stops watching. */
void wakeups__watch_cpus(struct wakeups *wakeups, int fd);

/*
 * Ticks at @start + n × @interval, on CLOCK_MONOTONIC, and the limit at @start + @timeout; 0 is none. The grid does not
 * drift: a tick that is served late does not move those after it. 0 or -errno.
 */
int wakeups__start_timers(struct wakeups *wakeups, uint64_t start_ns, uint64_t interval_ns, uint64_t timeout_ns);

/* One wakeup at @when_ns on CLOCK_MONOTONIC; in the past: at once. 0 or -errno. */
int wakeups__start_delay(struct wakeups *wakeups, uint64_t when_ns);
void wakeups__cancel_delay(struct wakeups *wakeups);

/* One wakeup every @period_ns from now on, however late the one before was served. 0 or -errno. */
int wakeups__start_rounds(struct wakeups *wakeups, uint64_t period_ns);

/* Sleeps until something happens. A mask of enum wakeup, or -errno. */
int wakeups__wait(struct wakeups *wakeups);

/* The signal behind the last WAKEUP_SIGNAL. */
int wakeups__signal(const struct wakeups *wakeups);
/* A signal that has come and that no wait has found, taken; 0 when there is none. */
int wakeups__pending_signal(struct wakeups *wakeups);
/*
 * Is a signal pending that asks the process to end and that is blocked while wakeups exist? The signal stays pending.
 */
bool wakeups__is_asked_to_end(void);
/* Ticks that had passed unserved when a later one was found, all in all. */
uint64_t wakeups__missed(const struct wakeups *wakeups);

#endif
