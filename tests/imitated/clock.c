// SPDX-License-Identifier: GPL-2.0-only
/*
 * With IMITATED_CLOCK, clock_gettime(2) always returns the same time until pstat or perf learns
 * that its command has ended. Then the time advances by one second. The command seems to use no CPU
 * time. So elapsed times, and metrics that depend on these times, are the same on all machines.
 */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static int nr_ended; /* number of commands for which pstat or perf has waited */
static bool ending;  /* another command has ended, but nobody has waited for it yet */

static bool is_imitated(void)
{
	return getenv("IMITATED_CLOCK");
}

static int (*real_clock)(clockid_t clock, struct timespec *now);
/* volatile, because glibc declares that dlsym() calls nothing in this file */
static volatile bool is_looking;

/*
 * Finds the real function before it is needed. The first dlsym() of a process frees the text of an
 * earlier error, and clears the pointer to this text only afterwards. The address sanitizer has
 * caused an error before, and its free() calls clock_gettime(). If clock_gettime() then called
 * dlsym(), the text would be freed twice.
 */
static void __attribute__((constructor)) find_clock(void)
{
	is_looking = true;
	real_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	is_looking = false;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static struct timespec starts[CLOCK_BOOTTIME + 1];

	if (is_looking) {
		*now = (struct timespec){ 0 };
		return 0;
	}
	if (!real_clock)
		find_clock();
	if ((clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME) || !is_imitated())
		return real_clock(clock, now);
	if (!starts[clock].tv_sec && real_clock(clock, &starts[clock]))
		return -1;
	*now = starts[clock];
	now->tv_sec += nr_ended + ending;
	return 0;
}

static void end_command(void)
{
	nr_ended++;
	ending = false;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	static pid_t (*real)(pid_t pid, int *status, int options);
	pid_t child;

	real = real ?: (pid_t(*)(pid_t, int *, int))dlsym(RTLD_NEXT, "waitpid");
	child = real(pid, status, options);
	if (child > 0 && is_imitated())
		end_command();
	return child;
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	static pid_t (*real)(pid_t pid, int *status, int options, struct rusage *usage);
	pid_t child;

	real = real ?: (pid_t(*)(pid_t, int *, int, struct rusage *))dlsym(RTLD_NEXT, "wait4");
	child = real(pid, status, options, usage);
	if (child > 0 && is_imitated()) {
		end_command();
		if (usage)
			memset(usage, 0, sizeof(*usage));
	}
	return child;
}

/* Ignores perf's handler of SIGCHLD: after this signal, perf does not wait for its command. */
__sighandler_t signal(int number, __sighandler_t handler)
{
	static __sighandler_t (*real)(int number, __sighandler_t handler);

	real = real ?: (__sighandler_t(*)(int, __sighandler_t))dlsym(RTLD_NEXT, "signal");
	return real(number, number == SIGCHLD && is_imitated() ? SIG_DFL : handler);
}

/* pstat learns from poll(2) of a pidfd that its command has ended. */
int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	static int (*real)(struct pollfd * fds, nfds_t nr, int timeout);
	int found;

	real = real ?: (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
	found = real(fds, nr, timeout);
	ending |= found > 0 && fds[0].events & POLLIN && is_imitated();
	return found;
}
