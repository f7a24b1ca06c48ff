/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for any of the things that a session reacts to while it counts: the end of a delay, the
 * next interval, the time limit, a signal, a line from --control, the end of the counted command or
 * threads, and the other wakeups in enum wakeup.
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

struct strbuf;
struct threadmap;
struct wakeups;

/* The bits that wakeups__wait() returns. */
enum wakeup {
	WAKEUP_INTERVAL = 1 << 0,
	WAKEUP_TIMEOUT = 1 << 1,
	WAKEUP_SIGNAL = 1 << 2,
	WAKEUP_COMMAND = 1 << 3, /* the command has ended */
	WAKEUP_TARGETS = 1 << 4, /* all watched threads have ended */
	WAKEUP_DELAY = 1 << 5,
	WAKEUP_CONTROL = 1 << 6, /* the fd of --control is readable: a command or end of file */
	WAKEUP_BACKEND = 1 << 7, /* a backend has work to do */
	WAKEUP_ROUND = 1 << 8,	 /* a period of wakeups__start_rounds() has passed */
	WAKEUP_CPUS = 1 << 9,	 /* CPUs may have gone offline or come online */
	WAKEUP_SINK = 1 << 10,	 /* a client of the sink is waiting for output */
};

/*
 * Blocks SIGINT, SIGTERM and (unless the process ignores it) SIGHUP, so that wakeups__wait() can
 * report them. Also blocks SIGPIPE, so that a write to a pipe without readers fails with EPIPE, and
 * pstat can shut down cleanly. wakeups__free() restores the previous signal mask. Returns 0 or
 * -errno.
 *
 * @why must outlive *@wakeups, and may be NULL. If this function or one of the functions below
 * fails with an error other than -ENOMEM, it stores the reason in @why.
 */
int wakeups__new(struct strbuf *why, struct wakeups **wakeups);
void wakeups__free(struct wakeups *wakeups);
/*
 * Returns the signal mask that was in effect before wakeups__new(). Child processes must use this
 * mask.
 */
const sigset_t *wakeups__old_mask(const struct wakeups *wakeups);
/* Stops all timers and watches. Keeps pending signals. */
void wakeups__reset(struct wakeups *wakeups);

/*
 * Makes wakeups__wait() report WAKEUP_TARGETS when all @threads have ended. Returns 0 or -ENOMEM.
 */
int wakeups__watch_threads(struct wakeups *wakeups, const struct threadmap *threads);
/*
 * Makes wakeups__wait() report WAKEUP_COMMAND when the process of @pidfd has ended. The caller owns
 * @pidfd.
 */
void wakeups__watch_command(struct wakeups *wakeups, int pidfd);
/*
 * Watches the fd of --control: makes wakeups__wait() report WAKEUP_CONTROL when @fd is readable. If
 * @fd is -1, ends the previous watch instead. The caller owns @fd. The next three functions do the
 * same with other bits.
 */
void wakeups__watch_control(struct wakeups *wakeups, int fd);

/* Watches the fd of a backend (WAKEUP_BACKEND). */
void wakeups__watch_backend(struct wakeups *wakeups, int fd);
/* Watches the fd of the session's sink (WAKEUP_SINK). */
void wakeups__watch_sink(struct wakeups *wakeups, int fd);
/* Watches the fd of cpu_watch__fd() (WAKEUP_CPUS). */
void wakeups__watch_cpus(struct wakeups *wakeups, int fd);

/*
 * Starts two timers on CLOCK_MONOTONIC. One timer causes WAKEUP_INTERVAL at each tick, that is, at
 * @start_ns + n × @interval_ns for each n > 0. The other timer causes WAKEUP_TIMEOUT at @start_ns +
 * @timeout_ns. If @interval_ns or @timeout_ns is 0, does not start the corresponding timer. If a
 * tick is handled late, later ticks are not delayed. Returns 0 or -errno.
 */
int wakeups__start_timers(struct wakeups *wakeups, uint64_t start_ns, uint64_t interval_ns,
			  uint64_t timeout_ns);

/* Stops the ticks until wakeups__start_timers() is called again. */
void wakeups__stop_ticks(struct wakeups *wakeups);

/*
 * Starts a timer that causes one WAKEUP_DELAY when CLOCK_MONOTONIC reaches @when_ns, or immediately
 * if this time is in the past. Returns 0 or -errno.
 */
int wakeups__start_delay(struct wakeups *wakeups, uint64_t when_ns);
void wakeups__cancel_delay(struct wakeups *wakeups);

/*
 * Starts a timer that causes WAKEUP_ROUND every @period_ns ns. If a wakeup is handled late, later
 * wakeups are not delayed. Returns 0 or -errno.
 */
int wakeups__start_rounds(struct wakeups *wakeups, uint64_t period_ns);

/*
 * Waits for at least one wakeup. Returns the bits (enum wakeup) of all wakeups that happened, or
 * -errno.
 */
int wakeups__wait(struct wakeups *wakeups);

/* Returns the signal of the last WAKEUP_SIGNAL. */
int wakeups__signal(const struct wakeups *wakeups);
/*
 * Receives a pending signal that wakeups__wait() has not reported yet. Returns the signal, or 0 if
 * there is none.
 */
int wakeups__pending_signal(struct wakeups *wakeups);
/* Returns whether SIGINT, SIGTERM or SIGHUP is pending. The signal stays pending. */
bool wakeups__is_asked_to_end(void);
/*
 * Returns the number of ticks since wakeups__reset() that were not reported, because the next tick
 * was already due.
 */
uint64_t wakeups__missed(const struct wakeups *wakeups);

#endif
