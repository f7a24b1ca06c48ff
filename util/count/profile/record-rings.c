// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each online CPU has a dummy event with a ring buffer, to which the kernel writes records:
 *
 *	header page: data_head (written by the kernel), data_tail (written by this file)
 *	data pages: records; a record at the end may continue at the beginning
 *
 * A record ends with its time (sample_id_all), measured with a clock that all CPUs share. The
 * records of one ring are sorted by time. But this file reads the rings one after the other.
 * Meanwhile, the kernel can add a record to a ring that has just been read, and then a more recent
 * record to a ring that has not been read yet. So that the more recent record is not delivered
 * first, each call to record_rings__take() delivers only the records from before the call. The next
 * call delivers the remaining records.
 */
#include "util/count/profile/record-rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/clock.h"
#include "util/base/sysfs.h"
#include "util/count/fd-limit.h"
#include "util/machine/cpu/cpumap.h"

#define RING_PAGES 64 /* room for about 2000 records of mappings */

struct ring {
	int cpu;
	int fd;
	char *memory; /* the header page and then the data; NULL: not mapped */
};

struct record_rings {
	size_t page;
	int nr, epoll;
	struct ring *rings;
	struct record_queue *queue;
	struct perf_event_attr what;
};

static size_t data_size(const struct record_rings *rings)
{
	return RING_PAGES * rings->page;
}

static int open_ring(struct record_rings *rings, struct ring *ring)
{
	union perf_attr attr;
	struct epoll_event watched = { .events = EPOLLIN };
	void *memory;

	/* also clears config3, which struct perf_event_attr does not have in old headers */
	memset(&attr, 0, sizeof(attr));
	attr.attr = rings->what;
	attr.attr.type = PERF_TYPE_SOFTWARE;
	attr.attr.size = PERF_ATTR_SIZE;
	attr.attr.config = PERF_COUNT_SW_DUMMY;
	attr.attr.sample_type = PERF_SAMPLE_TIME;
	attr.attr.sample_id_all = 1;
	attr.attr.use_clockid = 1;
	attr.attr.clockid = CLOCK_MONOTONIC;
	attr.attr.watermark = 1;
	attr.attr.wakeup_watermark = (__u32)data_size(rings) / 2;
	ring->fd = perf_sys__open(&attr, -1, ring->cpu, -1, 0);
	if (ring->fd < 0)
		return ring->fd;
	memory = mmap(NULL, rings->page + data_size(rings), PROT_READ | PROT_WRITE, MAP_SHARED,
		      ring->fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	ring->memory = memory;
	return epoll_ctl(rings->epoll, EPOLL_CTL_ADD, ring->fd, &watched) ? -errno : 0;
}

static bool has_ring(const struct record_rings *rings, int cpu)
{
	for (int i = 0; i < rings->nr; i++)
		if (rings->rings[i].cpu == cpu)
			return true;
	return false;
}

static void close_ring(const struct record_rings *rings, struct ring *ring)
{
	if (ring->memory)
		munmap(ring->memory, rings->page + data_size(rings));
	if (ring->fd >= 0)
		close(ring->fd);
}

/* Opens a ring on each CPU of @cpus that has no ring. Skips CPUs that have gone offline. */
static int open_missing(struct record_rings *rings, const struct cpumap *cpus)
{
	uint64_t needed, allowed;
	struct ring *all = realloc(rings->rings, sizeof(*all) * (size_t)(rings->nr + cpus->nr + 1));
	int err;

	if (!all)
		return -ENOMEM;
	rings->rings = all;
	err = fd_limit__make_room((uint64_t)cpus->nr, &needed, &allowed);
	for (int i = 0; !err && i < cpus->nr; i++) {
		struct ring *ring = &all[rings->nr];

		if (has_ring(rings, cpus->ids[i]))
			continue;
		*ring = (struct ring){ .cpu = cpus->ids[i], .fd = -1 };
		err = open_ring(rings, ring);
		if (err)
			close_ring(rings, ring);
		else
			rings->nr++;
		if (err == -ENODEV)
			err = 0;
	}
	return err;
}

static int open_all(struct record_rings *rings)
{
	struct cpumap *cpus;
	int err = cpumap__online(sysroots__host(), &cpus);

	err = err ?: open_missing(rings, cpus);
	cpumap__free(cpus);
	return err;
}

int record_rings__open(const struct perf_event_attr *what, struct record_rings **result)
{
	struct record_rings *rings = calloc(1, sizeof(*rings));
	int err;

	*result = NULL;
	if (!rings)
		return -ENOMEM;
	rings->what = *what;
	rings->page = (size_t)sysconf(_SC_PAGESIZE);
	rings->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = rings->epoll < 0 ? -errno : 0;
	rings->queue = record_queue__new();
	if (!err && !rings->queue)
		err = -ENOMEM;
	err = err ?: open_all(rings);
	if (err)
		record_rings__free(rings);
	else
		*result = rings;
	return err;
}

void record_rings__free(struct record_rings *rings)
{
	if (!rings)
		return;
	for (int i = 0; i < rings->nr; i++)
		close_ring(rings, &rings->rings[i]);
	if (rings->epoll >= 0)
		close(rings->epoll);
	record_queue__free(rings->queue);
	free(rings->rings);
	free(rings);
}

int record_rings__fd(const struct record_rings *rings)
{
	return rings->epoll;
}

int record_rings__follow_cpus(struct record_rings *rings, const struct cpumap *online)
{
	int err = 0;

	for (int i = rings->nr - 1; i >= 0; i--) {
		struct ring *ring = &rings->rings[i];
		int bad;

		if (cpumap__index(online, ring->cpu) >= 0)
			continue;
		bad = record_queue__copy_ring(rings->queue, ring->memory, rings->page,
					      data_size(rings));
		err = err ?: bad;
		close_ring(rings, ring);
		*ring = rings->rings[--rings->nr];
	}
	return err == -ENOMEM ? err : open_missing(rings, online) ?: err;
}

int record_rings__take(struct record_rings *rings, record_fn fn, void *ctx)
{
	uint64_t begin = clock__now();
	int err = 0;

	for (int i = 0; !err && i < rings->nr; i++)
		err = record_queue__copy_ring(rings->queue, rings->rings[i].memory, rings->page,
					      data_size(rings));
	return err ?: record_queue__deliver(rings->queue, begin, fn, ctx);
}
