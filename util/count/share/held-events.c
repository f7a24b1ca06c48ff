// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/held-events.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf-sys.h"

/* At most this number of fds is held, because the limit on open files is needed for counting. */
#define HELD_MAX 256

void held_events__add(struct held_events *held, int fd)
{
	int copy, *fds;

	if (fd < 0 || held->nr == HELD_MAX)
		return;
	fds = realloc(held->fds, sizeof(*fds) * ((size_t)held->nr + 1));
	if (!fds)
		return;
	held->fds = fds;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0)
		fds[held->nr++] = copy;
}

void held_events__move(struct held_events *to, struct held_events *from)
{
	for (int i = 0; i < from->nr; i++)
		held_events__add(to, from->fds[i]);
	held_events__close(from);
}

void held_events__disable(const struct held_events *held)
{
	for (int i = 0; i < held->nr; i++)
		perf_sys__disable(held->fds[i]);
}

void held_events__close(struct held_events *held)
{
	for (int i = 0; i < held->nr; i++)
		close(held->fds[i]);
	free(held->fds);
	*held = (struct held_events){ 0 };
}
