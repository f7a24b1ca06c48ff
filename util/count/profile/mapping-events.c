// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/mapping-events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/count/profile/record-rings.h"
#include "util/machine/build-id.h"
#include "util/machine/kernel-code.h"
#include "util/machine/mapped-objects.h"

struct mapping_events {
	struct mapped_objects *objects; /* not owned, as is … */
	struct kernel_code *code;
	struct record_rings *rings;
	uint64_t lost;
};

/* The kernel's records, behind the header (linux/perf_event.h). */
struct mmap2_record {
	__u32 pid, tid;
	__u64 address, len, offset;
	union {
		struct { /* with PERF_RECORD_MISC_MMAP_BUILD_ID */
			__u8 id_len, reserved[3];
			__u8 id[BUILD_ID_SIZE];
		};
		struct {
			__u32 major, minor;
			__u64 inode, generation;
		};
	};
	__u32 prot, flags;
	char path[];
};

struct task_record {
	__u32 pid, parent, tid, parent_tid;
	__u64 time;
};

struct ksymbol_record {
	__u64 address;
	__u32 len;
	__u16 type, flags;
	char name[];
};

struct lost_record {
	__u64 id, lost;
};

int mapping_events__open(struct mapped_objects *objects, struct kernel_code *code, struct mapping_events **result)
{
	const struct perf_event_attr what = { .mmap = 1, .mmap2 = 1, .build_id = 1, .task = 1, .ksymbol = 1 };
	struct mapping_events *events = calloc(1, sizeof(*events));
	int err;

	*result = NULL;
	if (!events)
		return -ENOMEM;
	events->objects = objects;
	events->code = code;
	err = record_rings__open(&what, &events->rings);
	if (err)
		mapping_events__free(events);
	else
		*result = events;
	return err;
}

void mapping_events__free(struct mapping_events *events)
{
	if (!events)
		return;
	record_rings__free(events->rings);
	free(events);
}

int mapping_events__fd(const struct mapping_events *events)
{
	return record_rings__fd(events->rings);
}

uint64_t mapping_events__lost(const struct mapping_events *events)
{
	return events->lost;
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
	} else {
		mapping.major = record->major;
		mapping.minor = record->minor;
		mapping.inode = record->inode;
	}
	return mapped_objects__add(events->objects, &mapping);
}

/* It is told with its name and length when it goes too: so is known what was there before. */
static int take_kernel_code(struct mapping_events *events, const struct perf_event_header *header, uint64_t time)
{
	const struct ksymbol_record *record = (const void *)(header + 1);

	if (record->type != PERF_RECORD_KSYMBOL_TYPE_BPF)
		return 0;
	if (record->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		return kernel_code__unload(events->code, record->address, record->len, record->name, time);
	return kernel_code__load(events->code, record->address, record->len, record->name, time);
}

/* record_fn */
static int take_record(void *ctx, const struct perf_event_header *header, uint64_t time)
{
	struct mapping_events *events = ctx;
	const struct task_record *task = (const void *)(header + 1);

	switch (header->type) {
	case PERF_RECORD_MMAP2:
		return take_mapping(events, header);
	case PERF_RECORD_KSYMBOL:
		return take_kernel_code(events, header, time);
	case PERF_RECORD_FORK: /* of a thread too */
		if (task->pid == task->parent)
			return 0;
		return mapped_objects__fork(events->objects, (pid_t)task->parent, (pid_t)task->pid);
	case PERF_RECORD_EXIT:
		if (task->pid == task->tid)
			mapped_objects__end(events->objects, (pid_t)task->pid);
		return 0;
	case PERF_RECORD_LOST:
		events->lost += ((const struct lost_record *)(header + 1))->lost;
		return 0;
	default:
		return 0;
	}
}

int mapping_events__take(struct mapping_events *events)
{
	return record_rings__take(events->rings, take_record, events);
}
