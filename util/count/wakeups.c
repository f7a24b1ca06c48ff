// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/wakeups.h"

#include <errno.h>
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
#include "util/base/sysfs.h"
#include "util/machine/threadmap.h"

/* How often threads without a pidfd are looked at. */
#define LIVENESS_MSEC 100

enum { AT_SIGNAL, AT_INTERVAL, AT_TIMEOUT, AT_COMMAND, AT_TARGETS /* and all after it */ };

struct wakeups {
	sigset_t old_mask;
	int signal;
	uint64_t missed;
	int nr;			/* of fds */
	struct pollfd *fds;	/* by AT_*; an fd of -1 is not waited for */
	int processes;		/* with a pidfd, that have not ended */
	bool watches;		/* threads: until none is left */
	struct threadmap *lone; /* threads that no pidfd tells of: looked at every LIVENESS_MSEC */
};

static void wakeups__close_fd(struct wakeups *w, int at)
{
	if (w->fds[at].fd >= 0)
		close(w->fds[at].fd);
	w->fds[at].fd = -1;
}

int wakeups__new(struct wakeups **out)
{
	struct wakeups *w = calloc(1, sizeof(*w));
	struct sigaction hangup;
	sigset_t mask;
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
	for (int at = 0; at < w->nr; at++)
		w->fds[at] = (struct pollfd){ .fd = -1, .events = POLLIN };
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	/* nohup ignores it for us, but a signal that is blocked is never ignored */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, &w->old_mask);
	w->fds[AT_SIGNAL].fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->fds[AT_SIGNAL].fd < 0) {
		err = -errno;
		wakeups__free(w);
	} else {
		*out = w;
	}
	return err;
}

void wakeups__free(struct wakeups *w)
{
	if (!w)
		return;
	for (int at = 0; at < w->nr; at++)
		if (at != AT_COMMAND)
			wakeups__close_fd(w, at);
	sigprocmask(SIG_SETMASK, &w->old_mask, NULL);
	threadmap__free(w->lone);
	free(w->fds);
	free(w);
}

/* Is @tid a thread of a process that @threads has the leader of? */
static bool has_leader(const struct threadmap *threads, pid_t tid)
{
	pid_t process = threadmap__process_of(sysroots__host(), tid);

	return process > 0 && process != tid && threadmap__has(threads, process);
}

/*
 * A pidfd of a thread group's leader is readable when the whole group has ended, and tells of all its threads. Single
 * threads have no pidfd before kernel 6.9.
 */
int wakeups__watch_threads(struct wakeups *w, const struct threadmap *threads)
{
	struct pollfd *fds = realloc(w->fds, sizeof(*fds) * (size_t)(AT_TARGETS + threads->nr));
	int err = 0;

	if (!fds)
		return -ENOMEM;
	w->fds = fds;
	w->watches = true;
	w->lone = threadmap__new();
	if (!w->lone)
		return -ENOMEM;
	for (int i = 0; !err && i < threads->nr; i++) {
		int fd = (int)syscall(SYS_pidfd_open, threads->tids[i], 0);

		if (fd >= 0) {
			fds[w->nr++] = (struct pollfd){ .fd = fd, .events = POLLIN };
			w->processes++;
		} else if (!has_leader(threads, threads->tids[i])) {
			err = threadmap__add(w->lone, threads->tids[i]);
		}
	}
	return err;
}

void wakeups__watch_command(struct wakeups *w, int pidfd)
{
	w->fds[AT_COMMAND].fd = pidfd;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NSEC_PER_SEC), .tv_nsec = (long)(ns % NSEC_PER_SEC) };
}

static int start_timer(struct pollfd *pollfd, uint64_t first_ns, uint64_t period_ns)
{
	struct itimerspec when = { .it_value = to_timespec(first_ns), .it_interval = to_timespec(period_ns) };

	pollfd->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (pollfd->fd < 0 || timerfd_settime(pollfd->fd, TFD_TIMER_ABSTIME, &when, NULL))
		return -errno;
	return 0;
}

int wakeups__start_timers(struct wakeups *w, uint64_t start_ns, uint64_t interval_ns, uint64_t timeout_ns)
{
	int err = 0;

	if (interval_ns)
		err = start_timer(&w->fds[AT_INTERVAL], start_ns + interval_ns, interval_ns);
	if (!err && timeout_ns)
		err = start_timer(&w->fds[AT_TIMEOUT], start_ns + timeout_ns, 0);
	return err;
}

static int take_interval(struct wakeups *w)
{
	uint64_t ticks;

	if (read(w->fds[AT_INTERVAL].fd, &ticks, sizeof(ticks)) != sizeof(ticks))
		return 0;
	w->missed += ticks - 1;
	return WAKEUP_INTERVAL;
}

static int take_signal(struct wakeups *w)
{
	struct signalfd_siginfo info;

	if (read(w->fds[AT_SIGNAL].fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	w->signal = (int)info.ssi_signo;
	return WAKEUP_SIGNAL;
}

static bool any_alive(const struct threadmap *threads)
{
	for (int i = 0; i < threads->nr; i++)
		if (!kill(threads->tids[i], 0) || errno != ESRCH)
			return true;
	return false;
}

static int take_targets(struct wakeups *w)
{
	if (!w->watches)
		return 0;
	for (int at = AT_TARGETS; at < w->nr; at++) {
		if (w->fds[at].fd >= 0 && w->fds[at].revents) {
			wakeups__close_fd(w, at);
			w->processes--;
		}
	}
	if (w->processes || any_alive(w->lone))
		return 0;
	w->watches = false;
	return WAKEUP_TARGETS;
}

int wakeups__wait(struct wakeups *w)
{
	for (;;) {
		bool look = w->watches && !w->processes;
		int found = 0, n = poll(w->fds, (nfds_t)w->nr, look ? LIVENESS_MSEC : -1);

		if (n < 0 && errno != EINTR)
			return -errno;
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

uint64_t wakeups__missed(const struct wakeups *w)
{
	return w->missed;
}
