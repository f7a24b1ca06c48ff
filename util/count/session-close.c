// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/session-priv.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/count/last-close.h"
#include "util/count/wakeups.h"

#define LONG_NS NSEC_PER_SEC

static void explain(enum log_level level, int nr)
{
	log__print(level,
		   "all counts are printed; waiting for the kernel to close the %d tracepoints one "
		   "after the other\n^C ends pstat now: a background process then waits for the "
		   "kernel",
		   nr);
}

/*
 * Waits until the process of @pidfd ends. Returns 0 if the process has ended or pstat cannot wait
 * for it. If a signal arrives first, returns its number. After LONG_NS, prints a message about @nr
 * tracepoints at the log level @level.
 */
static int wait_for(struct wakeups *wakeups, int pidfd, enum log_level level, int nr)
{
	int found;

	wakeups__reset(wakeups);
	wakeups__watch_command(wakeups, pidfd);
	wakeups__start_delay(wakeups, clock__now() + LONG_NS);
	do {
		found = wakeups__wait(wakeups);
		if (found < 0)
			return 0;
		if (found & WAKEUP_DELAY) {
			wakeups__cancel_delay(wakeups);
			explain(level, nr);
		}
	} while (!(found & (WAKEUP_COMMAND | WAKEUP_SIGNAL)));
	return found & WAKEUP_COMMAND ? 0 : wakeups__signal(wakeups);
}

int session_close(struct wakeups *wakeups, bool wait, enum log_level level)
{
	int nr = last_close__nr(), pidfd, signal = 0;
	pid_t pid;

	pid = last_close__begin();
	if (!pid || !wait)
		return 0;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd >= 0) {
		level = isatty(STDERR_FILENO) ? LOG_WARNING : level;
		signal = wait_for(wakeups, pidfd, level, nr);
		wakeups__reset(wakeups);
		close(pidfd);
	}
	while (!signal && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return signal;
}
