// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/wakeups.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/machine/task/threadmap.h"

/* The time after which pstat checks again whether threads without a pidfd have ended. */
#define LIVENESS_MSEC 100
/* PIDFD_THREAD of linux/pidfd.h; older kernel headers do not define this flag. */
#define PIDFD_OF_THREAD O_EXCL

enum {
	AT_SIGNAL,
	AT_DELAY,
	AT_INTERVAL,
	AT_TIMEOUT,
	AT_COMMAND,
	AT_CONTROL,
	AT_BACKEND,
	AT_CPUS,
	AT_SINK,
	AT_ROUND,
	AT_TARGETS /* the index of the first watched thread */
};

struct wakeups {
	sigset_t old_mask;
	int signal;
	uint64_t missed;
	int nr;		    /* the number of entries in `fds` */
	struct pollfd *fds; /* indexed by AT_*; fd -1: not watched */
	bool watches_targets;
	int targets_left; /* the number of threads that have a pidfd and have not ended */
	/* the number of threads in `polled` that were alive at the last check */
	int nr_polled;
	pid_t *polled; /* IDs of threads without a pidfd, checked every LIVENESS_MSEC */
	struct strbuf *why;
};

static void wakeups__close_fd(struct wakeups *w, int at)
{
	if (w->fds[at].fd >= 0)
		close(w->fds[at].fd);
	w->fds[at].fd = -1;
}

int wakeups__new(struct strbuf *why, struct wakeups **out)
{
	struct wakeups *w = calloc(1, sizeof(*w));
	struct sigaction hangup;
	sigset_t mask, blocked;
	int err = 0;

	*out = NULL;
	if (!w)
		return -ENOMEM;
	w->nr = AT_TARGETS;
	w->fds = malloc(sizeof(*w->fds) * AT_TARGETS);
	if (!w->fds) {
		free(w);
		return -ENOMEM;
	}
	w->why = why;
	for (int at = 0; at < w->nr; at++)
		w->fds[at] = (struct pollfd){ .fd = -1, .events = POLLIN };
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	/*
	 * do not block SIGHUP if it is ignored (nohup), because signalfd(2) reports even ignored
	 * signals if they are blocked
	 */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&mask, SIGHUP);
	blocked = mask;
	sigaddset(&blocked, SIGPIPE);
	sigprocmask(SIG_BLOCK, &blocked, &w->old_mask);
	w->fds[AT_SIGNAL].fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->fds[AT_SIGNAL].fd < 0) {
		err = reason__store_call(why, -errno, "signalfd", "cannot wait for signals");
		wakeups__free(w);
	} else {
		*out = w;
	}
	return err;
}

const sigset_t *wakeups__old_mask(const struct wakeups *w)
{
	return &w->old_mask;
}

void wakeups__reset(struct wakeups *w)
{
	for (int at = 0; at < w->nr; at++) {
		if (at == AT_COMMAND || at == AT_CONTROL || at == AT_BACKEND || at == AT_CPUS ||
		    at == AT_SINK)
			w->fds[at].fd = -1;
		else if (at != AT_SIGNAL)
			wakeups__close_fd(w, at);
	}
	w->nr = AT_TARGETS;
	w->watches_targets = false;
	w->targets_left = w->nr_polled = 0;
	w->missed = 0;
}

void wakeups__free(struct wakeups *w)
{
	if (!w)
		return;
	wakeups__reset(w);
	wakeups__close_fd(w, AT_SIGNAL);
	sigprocmask(SIG_SETMASK, &w->old_mask, NULL);
	free(w->fds);
	free(w->polled);
	free(w);
}

/*
 * Opens a pidfd for @tid. The pidfd of a process (a thread group leader) becomes readable when all
 * threads of the process have ended. Since Linux 6.9, other threads can have a pidfd too. Returns
 * the pidfd. Returns -1 if the kernel cannot make one; the caller must then check the thread
 * periodically.
 */
static int open_pidfd(pid_t tid)
{
	int fd = (int)syscall(SYS_pidfd_open, tid, 0);

	return fd >= 0 ? fd : (int)syscall(SYS_pidfd_open, tid, PIDFD_OF_THREAD);
}

/*
 * Returns true if the thread @tid is not the main thread of its process, and @threads also contains
 * the main thread, whose pidfd covers all threads of the process.
 */
static bool has_leader(const struct threadmap *threads, pid_t tid)
{
	pid_t process = threadmap__process_of(sysroots__host(), tid);

	return process > 0 && process != tid && threadmap__has(threads, process);
}

int wakeups__watch_threads(struct wakeups *w, const struct threadmap *threads)
{
	struct pollfd *fds = realloc(w->fds, sizeof(*fds) * (size_t)(AT_TARGETS + threads->nr));
	pid_t *polled = realloc(w->polled, sizeof(*polled) * (size_t)(threads->nr + 1));

	w->fds = fds ?: w->fds;
	w->polled = polled ?: w->polled;
	if (!fds || !polled)
		return -ENOMEM;
	w->watches_targets = true;
	for (int i = 0; i < threads->nr; i++) {
		int fd;

		if (has_leader(threads, threads->tids[i]))
			continue;
		fd = open_pidfd(threads->tids[i]);
		if (fd < 0) {
			polled[w->nr_polled++] = threads->tids[i];
			continue;
		}
		fds[w->nr++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		w->targets_left++;
	}
	return 0;
}

void wakeups__watch_command(struct wakeups *w, int pidfd)
{
	w->fds[AT_COMMAND].fd = pidfd;
}

void wakeups__watch_control(struct wakeups *w, int fd)
{
	w->fds[AT_CONTROL].fd = fd;
}

void wakeups__watch_backend(struct wakeups *w, int fd)
{
	w->fds[AT_BACKEND].fd = fd;
}

void wakeups__watch_cpus(struct wakeups *w, int fd)
{
	w->fds[AT_CPUS].fd = fd;
}

void wakeups__watch_sink(struct wakeups *w, int fd)
{
	w->fds[AT_SINK].fd = fd;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NSEC_PER_SEC),
				  .tv_nsec = (long)(ns % NSEC_PER_SEC) };
}

static int start_timer(struct wakeups *w, int at, uint64_t first_ns, uint64_t period_ns)
{
	struct pollfd *pollfd = &w->fds[at];
	struct itimerspec when = { .it_value = to_timespec(first_ns),
				   .it_interval = to_timespec(period_ns) };

	pollfd->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (pollfd->fd < 0)
		return reason__store_call(w->why, -errno, "timerfd_create", "cannot set a timer");
	if (timerfd_settime(pollfd->fd, TFD_TIMER_ABSTIME, &when, NULL))
		return reason__store_call(w->why, -errno, "timerfd_settime", "cannot set a timer");
	return 0;
}

int wakeups__start_timers(struct wakeups *w, uint64_t start_ns, uint64_t interval_ns,
			  uint64_t timeout_ns)
{
	int err = 0;

	if (interval_ns)
		err = start_timer(w, AT_INTERVAL, start_ns + interval_ns, interval_ns);
	if (!err && timeout_ns)
		err = start_timer(w, AT_TIMEOUT, start_ns + timeout_ns, 0);
	return err;
}

void wakeups__stop_ticks(struct wakeups *w)
{
	wakeups__close_fd(w, AT_INTERVAL);
}

/* Replaces the time 0 with 1, because timerfd_settime(2) disarms a timer if its time is 0. */
int wakeups__start_delay(struct wakeups *w, uint64_t when_ns)
{
	return start_timer(w, AT_DELAY, when_ns ? when_ns : 1, 0);
}

int wakeups__start_rounds(struct wakeups *w, uint64_t period_ns)
{
	return start_timer(w, AT_ROUND, clock__now() + period_ns, period_ns);
}

void wakeups__cancel_delay(struct wakeups *w)
{
	wakeups__close_fd(w, AT_DELAY);
}

static int take_interval(struct wakeups *w)
{
	uint64_t ticks;

	if (read(w->fds[AT_INTERVAL].fd, &ticks, sizeof(ticks)) != sizeof(ticks))
		return 0;
	w->missed += ticks - 1;
	return WAKEUP_INTERVAL;
}

static int take_round(struct wakeups *w)
{
	uint64_t ticks;

	return read(w->fds[AT_ROUND].fd, &ticks, sizeof(ticks)) == sizeof(ticks) ? WAKEUP_ROUND : 0;
}

static int take_signal(struct wakeups *w)
{
	struct signalfd_siginfo info;

	if (read(w->fds[AT_SIGNAL].fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	w->signal = (int)info.ssi_signo;
	return WAKEUP_SIGNAL;
}

static bool is_alive(pid_t tid)
{
	return !kill(tid, 0) || errno != ESRCH;
}

static int take_targets(struct wakeups *w)
{
	for (int at = AT_TARGETS; at < w->nr; at++) {
		if (w->fds[at].fd >= 0 && w->fds[at].revents) {
			wakeups__close_fd(w, at);
			w->targets_left--;
		}
	}
	for (int i = 0; i < w->nr_polled;) {
		if (is_alive(w->polled[i]))
			i++;
		else
			w->polled[i] = w->polled[--w->nr_polled];
	}
	return w->watches_targets && !w->targets_left && !w->nr_polled ? WAKEUP_TARGETS : 0;
}

int wakeups__wait(struct wakeups *w)
{
	for (;;) {
		int found = 0, n = poll(w->fds, (nfds_t)w->nr, w->nr_polled ? LIVENESS_MSEC : -1);

		if (n < 0 && errno != EINTR)
			return reason__store_call(w->why, -errno, "poll",
						  "cannot wait for the end of the count");
		if (n < 0)
			continue;
		if (w->fds[AT_SIGNAL].revents)
			found |= take_signal(w);
		if (w->fds[AT_INTERVAL].revents)
			found |= take_interval(w);
		if (w->fds[AT_TIMEOUT].revents) {
			found |= WAKEUP_TIMEOUT;
			wakeups__close_fd(w, AT_TIMEOUT);
		}
		if (w->fds[AT_DELAY].revents) {
			found |= WAKEUP_DELAY;
			wakeups__close_fd(w, AT_DELAY);
		}
		if (w->fds[AT_ROUND].revents)
			found |= take_round(w);
		if (w->fds[AT_CONTROL].revents)
			found |= WAKEUP_CONTROL;
		if (w->fds[AT_BACKEND].revents)
			found |= WAKEUP_BACKEND;
		if (w->fds[AT_CPUS].revents)
			found |= WAKEUP_CPUS;
		if (w->fds[AT_SINK].revents)
			found |= WAKEUP_SINK;
		if (w->fds[AT_COMMAND].revents) {
			found |= WAKEUP_COMMAND;
			w->fds[AT_COMMAND].fd = -1;
		}
		found |= take_targets(w);
		if (found)
			return found;
	}
}

int wakeups__signal(const struct wakeups *w)
{
	return w->signal;
}

int wakeups__pending_signal(struct wakeups *w)
{
	return take_signal(w) ? w->signal : 0;
}

bool wakeups__is_asked_to_end(void)
{
	sigset_t pending;

	return !sigpending(&pending) &&
	       (sigismember(&pending, SIGINT) > 0 || sigismember(&pending, SIGTERM) > 0 ||
		sigismember(&pending, SIGHUP) > 0);
}

uint64_t wakeups__missed(const struct wakeups *w)
{
	return w->missed;
}
