// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/cpu-watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/machine/cpu/cpu-uevent.h"
#include "util/machine/cpu/cpumap.h"

/* The inode number of the initial user namespace (PROC_USER_INIT_INO of linux/proc_ns.h). */
#define INITIAL_USER_NS 0xEFFFFFFDU
#define TEN_YEARS_SEC (10LL * 365 * 24 * 3600)

struct cpu_watch {
	/* kept open, because a check must not fail when the process cannot open more fds */
	int online_fd;
	int epoll;
	/* the socket of cpu-uevent.h; -1: uevents do not reach this process */
	int uevents;
	/*
	 * a timerfd. The fd becomes readable every second if uevents do not reach this process;
	 * otherwise, after the system resumes or CLOCK_REALTIME is set
	 */
	int timer;
	/*
	 * an upper bound in ns for CLOCK_BOOTTIME - CLOCK_MONOTONIC when the clocks were last read;
	 * a larger difference means that the system has been suspended since then
	 */
	int64_t most_ahead_ns;
	struct cpumap *online, *stayed;
	char list[CPU_LIST_SIZE]; /* the text from which `online` was made */
};

static int64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * (int64_t)NSEC_PER_SEC + ts.tv_nsec;
}

/*
 * Returns whether the system has been suspended since the last call. CLOCK_BOOTTIME and
 * CLOCK_MONOTONIC run at the same speed, but only CLOCK_BOOTTIME advances while the system is
 * suspended. The two clocks cannot be read at exactly the same moment. So each call computes a
 * lower and an upper bound for their difference. If the lower bound is greater than the upper bound
 * of an earlier call, the system has been suspended since then.
 */
static bool was_suspended(struct cpu_watch *watch)
{
	int64_t before = read_clock(CLOCK_MONOTONIC), boot = read_clock(CLOCK_BOOTTIME);
	int64_t after = read_clock(CLOCK_MONOTONIC);
	bool suspended = boot - after > watch->most_ahead_ns;

	if (suspended || boot - before < watch->most_ahead_ns)
		watch->most_ahead_ns = boot - before;
	return suspended;
}

static bool expects_uevents(const struct sysroots *roots)
{
	struct stat st;
	char path[256];

	snprintf(path, sizeof(path), "%s/self/ns/user", roots->procfs);
	return stat(path, &st) || st.st_ino == INITIAL_USER_NS;
}

/* Stores in @why that the system call @call failed with errno. Returns -errno. */
static int call_failed(struct strbuf *why, const char *call)
{
	return reason__store_call(why, -errno, call, "cannot watch which CPUs are online");
}

static int watch_fd(const struct cpu_watch *watch, int fd, struct strbuf *why)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(watch->epoll, EPOLL_CTL_ADD, fd, &event) ? call_failed(why, "epoll_ctl") :
								    0;
}

/*
 * Starts the timer. If uevents do not reach this process, the timer expires every second.
 * Otherwise, the timer uses CLOCK_REALTIME, and its expiry time is far in the future. When the
 * system resumes, the kernel sets this clock and cancels the timer, so that watch->timer becomes
 * readable. Returns 0, or -errno with the reason in @why.
 */
static int start_timer(struct cpu_watch *watch, struct strbuf *why)
{
	bool poll = watch->uevents < 0;
	struct itimerspec when = { .it_value.tv_sec = 1, .it_interval.tv_sec = poll };
	int flags = poll ? 0 : TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;

	if (!poll)
		when.it_value.tv_sec = (time_t)(read_clock(CLOCK_REALTIME) / (int64_t)NSEC_PER_SEC +
						TEN_YEARS_SEC);
	watch->timer =
		timerfd_create(poll ? CLOCK_MONOTONIC : CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (watch->timer < 0)
		return call_failed(why, "timerfd_create");
	if (timerfd_settime(watch->timer, flags, &when, NULL))
		return call_failed(why, "timerfd_settime");
	return watch_fd(watch, watch->timer, why);
}

static int open_online(const struct sysroots *roots, struct cpu_watch *watch)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/devices/system/cpu/online", roots->sysfs);
	watch->online_fd = open(path, O_RDONLY | O_CLOEXEC);
	return watch->online_fd < 0 ? -errno : 0;
}

/* Reads the list of the online CPUs. Returns 0 or -errno. */
static int read_list(const struct cpu_watch *watch, char list[CPU_LIST_SIZE])
{
	ssize_t len = pread(watch->online_fd, list, CPU_LIST_SIZE - 1, 0);

	if (len < 0)
		return -errno;
	list[len] = '\0';
	list[strcspn(list, "\n")] = '\0';
	return 0;
}

int cpu_watch__new(const struct sysroots *roots, struct strbuf *why, struct cpu_watch **out)
{
	struct cpu_watch *watch = calloc(1, sizeof(*watch));
	int err = 0;

	*out = NULL;
	if (!watch)
		return -ENOMEM;
	watch->online_fd = watch->epoll = watch->uevents = watch->timer = -1;
	watch->most_ahead_ns = INT64_MAX;
	was_suspended(watch);
	watch->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = watch->epoll < 0 ? call_failed(why, "epoll_create1") : 0;
	if (!err && expects_uevents(roots))
		watch->uevents = cpu_uevent__open();
	if (!err && watch->uevents >= 0)
		err = watch_fd(watch, watch->uevents, why);
	err = err ?: start_timer(watch, why);
	/*
	 * read cpu/online after opening the socket: in the reverse order, no uevent would arrive
	 * for a CPU that goes offline between these two steps
	 */
	err = err ?: open_online(roots, watch);
	err = err ?: read_list(watch, watch->list);
	err = err ?: cpumap__parse(watch->list, &watch->online);
	if (!err) {
		watch->stayed = cpumap__copy(watch->online);
		err = watch->stayed ? 0 : -ENOMEM;
	}
	if (err)
		cpu_watch__free(watch);
	else
		*out = watch;
	return err;
}

void cpu_watch__free(struct cpu_watch *watch)
{
	if (!watch)
		return;
	if (watch->uevents >= 0)
		close(watch->uevents);
	if (watch->timer >= 0)
		close(watch->timer);
	if (watch->epoll >= 0)
		close(watch->epoll);
	if (watch->online_fd >= 0)
		close(watch->online_fd);
	cpumap__free(watch->online);
	cpumap__free(watch->stayed);
	free(watch);
}

int cpu_watch__fd(const struct cpu_watch *watch)
{
	return watch->epoll;
}

/*
 * Removes from @stayed each CPU that may have gone offline since the last check, according to the
 * uevents and the clocks, even if the CPU is online again.
 */
static void remove_gone(struct cpu_watch *watch, struct cpumap *stayed)
{
	struct cpu_uevent event;
	uint64_t ticks;
	ssize_t len;
	int found;

	while (watch->uevents >= 0 && (found = cpu_uevent__receive(watch->uevents, &event))) {
		/*
		 * found < 0: messages were lost or cannot be received, so any CPU may have gone
		 * offline. Remove all CPUs: the session then opens new events for all of them,
		 * which does no harm even if a CPU has stayed online
		 */
		if (found < 0)
			stayed->nr = 0;
		else if (!event.online)
			cpumap__remove(stayed, event.cpu);
		if (found < 0 && found != -ENOBUFS)
			break;
	}
	/*
	 * after this read, the timer's fd is not readable until the timer next expires or is
	 * cancelled
	 */
	len = read(watch->timer, &ticks, sizeof(ticks));
	(void)len;
	if (was_suspended(watch))
		stayed->nr = 0;
}

/*
 * Returns true if no CPU has gone offline or come online since the last check, and watch->stayed
 * would not change either. @kept contains the CPUs that were online at the last check and have not
 * been offline since. @list is the current content of cpu/online.
 */
static bool is_same(const struct cpu_watch *watch, const struct cpumap *kept, const char *list)
{
	return kept->nr == watch->online->nr && watch->stayed->nr == kept->nr &&
	       !strcmp(list, watch->list);
}

int cpu_watch__check(struct cpu_watch *watch, bool *changed)
{
	struct cpumap *online = NULL, *kept = cpumap__copy(watch->online), *stayed;
	char list[CPU_LIST_SIZE];
	int err;

	*changed = false;
	if (!kept)
		return -ENOMEM;
	remove_gone(watch, kept);
	err = read_list(watch, list);
	if (!err && is_same(watch, kept, list)) {
		cpumap__free(kept);
		return 0;
	}
	err = err ?: cpumap__parse(list, &online);
	stayed = err ? NULL : cpumap__intersect(kept, online);
	cpumap__free(kept);
	if (!stayed) {
		cpumap__free(online);
		return err ?: -ENOMEM;
	}
	*changed = !cpumap__equal(stayed, watch->online) || !cpumap__equal(online, watch->online);
	cpumap__free(watch->online);
	cpumap__free(watch->stayed);
	watch->online = online;
	watch->stayed = stayed;
	strcpy(watch->list, list);
	return 0;
}

const struct cpumap *cpu_watch__online(const struct cpu_watch *watch)
{
	return watch->online;
}

const struct cpumap *cpu_watch__stayed(const struct cpu_watch *watch)
{
	return watch->stayed;
}
