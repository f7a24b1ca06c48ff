/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for the events that a session reacts to while it counts: the end of a delay, the next
 * interval, the time limit, a signal, a line from --control, the end of the counted command or
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
	WAKEUP_CONTROL = 1 << 6, /* the fd of --control is readable, or its other end was closed */
	WAKEUP_BACKEND = 1 << 7, /* a backend has work to do */
	WAKEUP_ROUND = 1 << 8,	 /* see wakeups__start_rounds() */
	WAKEUP_CPUS = 1 << 9,	 /* CPUs may have gone offline or come online */
	WAKEUP_SINK = 1 << 10,	 /* the sink may have to output the current counts */
};

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, which wakeups__wait() then receives. Does not block SIGHUP if
 * the process ignores it. Also blocks SIGPIPE, so a write to a pipe without readers fails with
 * EPIPE, and pstat can shut down cleanly. wakeups__free() restores the mask. Returns 0 or -errno.
 *
 * If a system call fails, here or in the functions below, stores the reason in @why, which may be
 * NULL and must outlive the wakeups.
 */
int wakeups__new(struct strbuf *why, struct wakeups **wakeups);
void wakeups__free(struct wakeups *wakeups);
/* Returns the original signal mask. Child processes need it. */
const sigset_t *wakeups__old_mask(const struct wakeups *wakeups);
/* Stops all timers and watches. Keeps pending signals. */
void wakeups__reset(struct wakeups *wakeups);

/* Reports WAKEUP_TARGETS when all @threads have ended. Returns 0 or -errno. */
int wakeups__watch_threads(struct wakeups *wakeups, const struct threadmap *threads);
/* Reports WAKEUP_COMMAND when the process of @pidfd has ended. The caller keeps the fd. */
void wakeups__watch_command(struct wakeups *wakeups, int pidfd);
/* Watches the fd of --control, which the caller keeps. If @fd is -1, watches nothing. */
void wakeups__watch_control(struct wakeups *wakeups, int fd);

/* Watches the fd of a backend, which the caller keeps. If @fd is -1, watches nothing. */
void wakeups__watch_backend(struct wakeups *wakeups, int fd);
/* Watches the fd of the session's sink, which the caller keeps. If @fd is -1, watches nothing. */
void wakeups__watch_sink(struct wakeups *wakeups, int fd);
/*
 * Watches the fd of the CPU watch (cpu-watch.h), which the caller keeps. If @fd is -1, watches
 * nothing.
 */
void wakeups__watch_cpus(struct wakeups *wakeups, int fd);

/*
 * Starts two timers on CLOCK_MONOTONIC: ticks at @start_ns + n × @interval_ns (WAKEUP_INTERVAL),
 * and a limit at @start_ns + @timeout_ns (WAKEUP_TIMEOUT). If @interval_ns or @timeout_ns is 0,
 * does not start that timer. A tick that is handled late does not delay later ticks. Returns 0 or
 * -errno.
 */
int wakeups__start_timers(struct wakeups *wakeups, uint64_t start_ns, uint64_t interval_ns,
			  uint64_t timeout_ns);

/* Stops the ticks until wakeups__start_timers() is called again. */
void wakeups__stop_ticks(struct wakeups *wakeups);

/*
 * Starts a timer for one WAKEUP_DELAY at @when_ns on CLOCK_MONOTONIC. If this time has passed, the
 * wakeup is immediate. Returns 0 or -errno.
 */
int wakeups__start_delay(struct wakeups *wakeups, uint64_t when_ns);
void wakeups__cancel_delay(struct wakeups *wakeups);

/*
 * Starts a timer that reports WAKEUP_ROUND every @period_ns. A wakeup that is handled late does not
 * delay later wakeups. Returns 0 or -errno.
 */
int wakeups__start_rounds(struct wakeups *wakeups, uint64_t period_ns);

/* Waits until something happens. Returns bits of enum wakeup, or -errno. */
int wakeups__wait(struct wakeups *wakeups);

/* Returns the signal of the last WAKEUP_SIGNAL. */
int wakeups__signal(const struct wakeups *wakeups);
/*
 * Receives and returns a pending signal that wakeups__wait() has not reported. Returns 0 if there
 * is none.
 */
int wakeups__pending_signal(struct wakeups *wakeups);
/* Returns whether SIGINT, SIGTERM or SIGHUP is pending. The signal stays pending. */
bool wakeups__is_asked_to_end(void);
/* Returns the number of ticks that were not reported because a later tick was already due. */
uint64_t wakeups__missed(const struct wakeups *wakeups);

#endif
