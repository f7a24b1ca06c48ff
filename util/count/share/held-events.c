// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/share/held-events.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/count/bpf-util.h"

/*
 * The maximum number of fds in a struct held_events. It is low, so that the limit on open files
 * leaves room for other fds of pstat.
 */
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

/*
 * For each bit n that is set in @rows, deletes the perf events in row n of the map. Returns the
 * number of deleted events.
 */
static int take_out(int map_fd, uint64_t rows, uint32_t nr_cpus)
{
	int found = 0;

	for (uint32_t row = 0; row < 64; row++) {
		for (uint32_t cpu = 0; rows >> row & 1 && cpu < nr_cpus; cpu++) {
			uint32_t key = row * nr_cpus + cpu;

			found += !bpf_map_delete_elem(map_fd, &key);
		}
	}
	return found;
}

/*
 * Waits until the kernel has released the events that take_out() deleted. After a deletion, the
 * kernel waits for a grace period, starts a work item one tick later (at most 10 ms), and then
 * releases the events. The kernel does not report the release, so this function waits for a grace
 * period (or for 30 ms if it cannot wait for a grace period), and then for 20 ms.
 */
static void wait_for_kernel(void)
{
	if (bpf_util__wait_for_programs())
		usleep(30000);
	usleep(20000);
}

void held_events__release(const struct held_events *held, int map_fd, uint64_t rows,
			  uint32_t nr_cpus)
{
	held_events__disable(held);
	/*
	 * if more events were deleted than @held contains, some of them have not been disabled, for
	 * example because other sessions opened them
	 */
	if (take_out(map_fd, rows, nr_cpus) > held->nr)
		wait_for_kernel();
}

void held_events__close(struct held_events *held)
{
	for (int i = 0; i < held->nr; i++)
		close(held->fds[i]);
	free(held->fds);
	*held = (struct held_events){ 0 };
}
