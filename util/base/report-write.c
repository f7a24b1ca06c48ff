// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/report-write.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The time for which pstat waits for the reader of a pipe after a signal. The terminal often sends
 * the signal to the reader, too, but the reader may still want to read the rest of the report.
 */
#define PATIENCE_MSEC 50

static int open_signals(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * Waits for at most @timeout ms. Returns whether @fd is ready for writing. A file with an error
 * counts as ready, because the following write reports the error.
 */
static bool is_ready(int fd, int timeout)
{
	struct pollfd file = { .fd = fd, .events = POLLOUT };

	return poll(&file, 1, timeout) != 0;
}

/*
 * Waits until @fd accepts PIPE_BUF bytes. Returns 0, or -EINTR if a signal is pending and @fd does
 * not become ready within PATIENCE_MSEC.
 */
static int wait_for_room(int fd)
{
	/*
	 * After one call has waited PATIENCE_MSEC in vain, later calls stop waiting as soon as a
	 * signal is pending.
	 */
	static bool gave_up;
	struct pollfd fds[] = { { .fd = fd, .events = POLLOUT }, { .events = POLLIN } };
	int err = 0;

	if (is_ready(fd, 0))
		return 0;
	/* if signalfd() fails, the fd is -1, and poll() waits only for the file */
	fds[1].fd = open_signals();
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (!fds[0].revents && fds[1].revents && !is_ready(fd, gave_up ? 0 : PATIENCE_MSEC)) {
		gave_up = true;
		err = -EINTR;
	}
	if (fds[1].fd >= 0)
		close(fds[1].fd);
	return err;
}

static int write_piece(FILE *file, const char *text, size_t len)
{
	errno = 0;
	if (fwrite(text, 1, len, file) == len && !fflush(file) && !ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}

/*
 * Returns whether a write can wait for a reader. A write to a regular file, or to a device such as
 * /dev/null, never waits.
 */
static bool can_block(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ||
		(S_ISCHR(st.st_mode) && isatty(fd)));
}

int report_write(FILE *file, const char *text, size_t len)
{
	int fd = fileno(file), err = 0;

	if (!can_block(fd))
		return write_piece(file, text, len);
	/* a pipe that is ready has room for PIPE_BUF bytes, but not necessarily for more */
	for (size_t at = 0, piece; !err && at < len; at += piece) {
		piece = len - at < PIPE_BUF ? len - at : PIPE_BUF;
		err = wait_for_room(fd);
		err = err ?: write_piece(file, text + at, piece);
	}
	return err;
}
