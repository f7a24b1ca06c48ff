// SPDX-License-Identifier: GPL-2.0-only
/*
 * One dummy event a CPU, each with a ring buffer that the kernel writes records to:
 *
 *	header page: data_head (the kernel's), data_tail (ours)  │  data: records, the last one may go on at the beginning
 *
 * Rings of different CPUs are not in one order of time. What one taking finds is told so that it does not matter: mappings first,
 * then forks, which give the child its parent's behind its own, then ends.
 */
#include "util/count/mapping-events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/sysfs.h"
#include "util/machine/build-id.h"
#include "util/machine/cpumap.h"
#include "util/machine/mapped-objects.h"

#define RING_PAGES 64 /* some 2000 mappings */
#define RECORD_MAX (64 << 10)

struct ring {
	int fd;
	char *memory; /* the header page, and behind it the data; NULL: not mapped */
};

struct life {
	__u32 pid, parent; /* 0: it ended */
};

struct mapping_events {
	struct mapped_objects *objects; /* not owned */
	size_t page;
	int nr, epoll;
	struct ring *rings;
	uint64_t lost;
	char *record; /* of one that goes on at the beginning of its ring: [RECORD_MAX] */
	struct life *lives;
	size_t nr_lives, room;
};

/* The kernel's records, behind the header (linux/perf_event.h). */
struct mmap2_record {
	__u32 pid, tid;
	__u64 address, len, offset;
	__u8 id_len, reserved[3]; /* with PERF_RECORD_MISC_MMAP_BUILD_ID */
	__u8 id[BUILD_ID_SIZE];
	__u32 prot, flags;
	char path[];
};

struct task_record {
	__u32 pid, parent, tid, parent_tid;
	__u64 time;
};

struct lost_record {
	__u64 id, lost;
};

static size_t data_size(const struct mapping_events *events)
{
	return RING_PAGES * events->page;
}

static int open_ring(struct mapping_events *events, int cpu, struct ring *ring)
{
	union perf_attr attr;
	struct epoll_event watched = { .events = EPOLLIN };
	void *memory;

	memset(&attr, 0, sizeof(attr)); /* what lies behind the attr of old kernels too */
	attr.attr = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
					      .size = PERF_ATTR_SIZE,
					      .config = PERF_COUNT_SW_DUMMY,
					      .mmap = 1,
					      .mmap2 = 1,
					      .build_id = 1,
					      .task = 1,
					      .watermark = 1,
					      .wakeup_watermark = (__u32)data_size(events) / 2 };
	ring->fd = perf_sys__open(&attr, -1, cpu, -1, 0);
	if (ring->fd < 0)
		return ring->fd;
	memory = mmap(NULL, events->page + data_size(events), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	ring->memory = memory;
	return epoll_ctl(events->epoll, EPOLL_CTL_ADD, ring->fd, &watched) ? -errno : 0;
}

static int open_rings(struct mapping_events *events)
{
	struct cpumap *cpus;
	int err = cpumap__online(sysroots__host(), &cpus);

	if (err)
		return err;
	events->rings = calloc((size_t)cpus->nr, sizeof(*events->rings));
	if (!events->rings)
		err = -ENOMEM;
	for (int i = 0; !err && i < cpus->nr; i++) {
		events->rings[events->nr].fd = -1;
		err = open_ring(events, cpus->ids[i], &events->rings[events->nr++]);
	}
	cpumap__free(cpus);
	return err;
}

int mapping_events__open(struct mapped_objects *objects, struct mapping_events **result)
{
	struct mapping_events *events = calloc(1, sizeof(*events));
	int err = 0;

	*result = NULL;
	if (!events)
		return -ENOMEM;
	events->objects = objects;
	events->page = (size_t)sysconf(_SC_PAGESIZE);
	events->record = malloc(RECORD_MAX);
	events->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (events->epoll < 0)
		err = -errno;
	else if (!events->record)
		err = -ENOMEM;
	err = err ?: open_rings(events);
	if (err) {
		mapping_events__free(events);
		return err;
	}
	*result = events;
	return 0;
}

void mapping_events__free(struct mapping_events *events)
{
	if (!events)
		return;
	for (int i = 0; i < events->nr; i++) {
		if (events->rings[i].memory)
			munmap(events->rings[i].memory, events->page + data_size(events));
		if (events->rings[i].fd >= 0)
			close(events->rings[i].fd);
	}
	if (events->epoll >= 0)
		close(events->epoll);
	free(events->rings);
	free(events->record);
	free(events->lives);
	free(events);
}

int mapping_events__fd(const struct mapping_events *events)
{
	return events->epoll;
}

uint64_t mapping_events__lost(const struct mapping_events *events)
{
	return events->lost;
}

static int remember(struct mapping_events *events, __u32 pid, __u32 parent)
{
	if (events->nr_lives == events->room) {
		size_t room = events->room ? 2 * events->room : 64;
		struct life *lives = realloc(events->lives, room * sizeof(*lives));

		if (!lives)
			return -ENOMEM;
		events->lives = lives;
		events->room = room;
	}
	events->lives[events->nr_lives++] = (struct life){ .pid = pid, .parent = parent };
	return 0;
}

static int take_mapping(struct mapping_events *events, const struct perf_event_header *header)
{
	const struct mmap2_record *record = (const void *)(header + 1);
	struct build_id id = { .len = 0 };
	struct mapping mapping = { .pid = (pid_t)record->pid,
				   .start = record->address,
				   .len = record->len,
				   .offset = record->offset,
				   .path = record->path };

	if (header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		id.len = record->id_len < BUILD_ID_SIZE ? record->id_len : BUILD_ID_SIZE;
		memcpy(id.bytes, record->id, id.len);
		mapping.id = &id;
	}
	return mapped_objects__add(events->objects, &mapping);
}

static int take_record(struct mapping_events *events, const struct perf_event_header *header)
{
	const struct task_record *task = (const void *)(header + 1);

	switch (header->type) {
	case PERF_RECORD_MMAP2:
		return take_mapping(events, header);
	case PERF_RECORD_FORK:
		return task->pid == task->parent ? 0 : remember(events, task->pid, task->parent);
	case PERF_RECORD_EXIT:
		return task->pid == task->tid ? remember(events, task->pid, 0) : 0;
	case PERF_RECORD_LOST:
		events->lost += ((const struct lost_record *)(header + 1))->lost;
		return 0;
	default:
		return 0;
	}
}

/* The record at @at, made whole if it goes on at the beginning. */
static const struct perf_event_header *record_at(struct mapping_events *events, const char *data, uint64_t at)
{
	size_t room = data_size(events), place = at & (room - 1), to_end = room - place;
	const struct perf_event_header *header = (const void *)(data + place);

	if (header->size <= to_end)
		return header;
	memcpy(events->record, header, to_end);
	memcpy(events->record + to_end, data, header->size - to_end);
	return (const void *)events->record;
}

static int take_ring(struct mapping_events *events, struct ring *ring)
{
	struct perf_event_mmap_page *page = (void *)ring->memory;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	int err = 0;

	while (!err && tail < head) {
		const struct perf_event_header *header = record_at(events, ring->memory + events->page, tail);

		err = take_record(events, header);
		tail += header->size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

static int tell_lives(struct mapping_events *events)
{
	int err = 0;

	for (size_t i = 0; !err && i < events->nr_lives; i++)
		if (events->lives[i].parent)
			err = mapped_objects__fork(events->objects, (pid_t)events->lives[i].parent,
						   (pid_t)events->lives[i].pid);
	for (size_t i = 0; i < events->nr_lives; i++)
		if (!events->lives[i].parent)
			mapped_objects__end(events->objects, (pid_t)events->lives[i].pid);
	events->nr_lives = 0;
	return err;
}

int mapping_events__take(struct mapping_events *events)
{
	int err = 0;

	for (int i = 0; !err && i < events->nr; i++)
		err = take_ring(events, &events->rings[i]);
	return err ?: tell_lives(events);
}
