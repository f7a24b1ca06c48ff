// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/last-close.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/close-others.h"

/* If at most this many events are kept, pstat closes them itself, in at most about 160 ms. */
#define FEW 4

struct kept {
	uint64_t tracepoint;
	int fd;
};

/* The events that are kept open, sorted by tracepoint ID. */
static struct kept *all_kept;
static int nr_kept, room;

/* Returns the index of @tracepoint in all_kept, or the index at which it has to be inserted. */
static int find(uint64_t tracepoint)
{
	int low = 0, high = nr_kept;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (all_kept[middle].tracepoint < tracepoint)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool make_room(void)
{
	int more = room ? 2 * room : 16;
	struct kept *grown;

	if (nr_kept < room)
		return true;
	grown = realloc(all_kept, sizeof(*grown) * (size_t)more);
	if (!grown)
		return false;
	all_kept = grown;
	room = more;
	return true;
}

void last_close__put(int fd, uint64_t tracepoint)
{
	int at = find(tracepoint);

	if ((at < nr_kept && all_kept[at].tracepoint == tracepoint) || !make_room()) {
		close(fd);
		return;
	}
	/*
	 * disable the event, because a member of a perf group would continue to count after the
	 * leader of the perf group was closed
	 */
	perf_sys__disable(fd);
	for (int i = nr_kept++; i > at; i--)
		all_kept[i] = all_kept[i - 1];
	all_kept[at] = (struct kept){ .tracepoint = tracepoint, .fd = fd };
}

int last_close__nr(void)
{
	return nr_kept;
}

static void close_all(void)
{
	for (int i = 0; i < nr_kept; i++)
		close(all_kept[i].fd);
}

/*
 * Releases everything that the child shares with pstat, except the kept events. Otherwise, the
 * child would delay other processes that wait until a pipe is closed, a lock is released, or a
 * mount is no longer in use. Closes all fds except the kept events and @pipe, and changes to the
 * directory "/". If there is not enough memory, closes only the standard streams.
 */
static void leave_the_rest(int pipe)
{
	int *fds = malloc(sizeof(*fds) * ((size_t)nr_kept + 1));

	for (int i = 0; fds && i < nr_kept; i++)
		fds[i] = all_kept[i].fd;
	if (fds) {
		fds[nr_kept] = pipe;
		close_others(STDIN_FILENO, fds, nr_kept + 1);
	}
	for (int fd = STDIN_FILENO; !fds && fd <= STDERR_FILENO; fd++)
		close(fd);
	free(fds);
	/* cannot fail, because "/" always exists; the `if` only avoids a compiler warning */
	if (chdir("/"))
		return;
}

/*
 * Closes the events after the parent has closed its copies of the fds. The kernel releases an event
 * when the last copy of its fd is closed, and the process that closes this copy has to wait. @ends
 * are the ends of a pipe: when the parent closes the write end, the child starts to close the
 * events. If the pipe could not be made, both ends are -1, and the child closes the events
 * immediately.
 */
static void __attribute__((noreturn)) child_main(const int *ends)
{
	char none;

	prctl(PR_SET_NAME, "pstat-closing");
	if (ends[1] >= 0)
		close(ends[1]);
	leave_the_rest(ends[0]);
	while (ends[0] >= 0 && read(ends[0], &none, 1) < 0 && errno == EINTR)
		;
	close_all();
	_exit(0);
}

pid_t last_close__begin(void)
{
	int ends[2] = { -1, -1 };
	bool many = nr_kept > FEW;
	pid_t pid = 0;

	if (many) {
		if (pipe2(ends, O_CLOEXEC))
			ends[0] = ends[1] = -1;
		pid = fork();
		if (!pid)
			child_main(ends);
	}
	/*
	 * this is fast if a child holds copies of the fds, because the kernel then releases no
	 * event
	 */
	close_all();
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	free(all_kept);
	all_kept = NULL;
	nr_kept = room = 0;
	return pid > 0 ? pid : 0;
}
