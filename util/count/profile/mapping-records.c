// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/profile/mapping-records.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "util/machine/symbols/build-id.h"
#include "util/machine/symbols/kernel-code.h"
#include "util/machine/symbols/mapped-objects.h"

/* The content of the kernel's records after the header (linux/perf_event.h). */
struct mmap2_record {
	__u32 pid, tid;
	__u64 address, len, offset;
	union {
		struct { /* valid with PERF_RECORD_MISC_MMAP_BUILD_ID */
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

/* Returns the number of bytes between the header and the time at the end of the record. */
static size_t body_size(const struct perf_event_header *header)
{
	const size_t around = sizeof(*header) + sizeof(uint64_t);

	return header->size > around ? header->size - around : 0;
}

/* Returns whether the body has text that begins at @at and ends with a NUL. */
static bool has_text(const struct perf_event_header *header, size_t at)
{
	size_t size = body_size(header);

	return at < size && memchr((const char *)(header + 1) + at, '\0', size - at);
}

static int take_mapping(struct mapping_sinks *sinks, const struct perf_event_header *header)
{
	const struct mmap2_record *record = (const void *)(header + 1);
	struct build_id id = { .len = 0 };
	struct mapping mapping;

	if (!has_text(header, offsetof(struct mmap2_record, path)))
		return -EBADMSG;
	mapping = (struct mapping){ .pid = (pid_t)record->pid,
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
	return mapped_objects__add(sinks->objects, &mapping);
}

/*
 * Notes that a BPF program was loaded or unloaded. The record of an unloading also contains the
 * program's name and length, so pstat can assign samples to a program whose loading it has not
 * seen.
 */
static int take_kernel_code(struct mapping_sinks *sinks, const struct perf_event_header *header,
			    uint64_t time)
{
	const struct ksymbol_record *record = (const void *)(header + 1);

	if (!has_text(header, offsetof(struct ksymbol_record, name)))
		return -EBADMSG;
	if (record->type != PERF_RECORD_KSYMBOL_TYPE_BPF)
		return 0;
	if (record->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		return kernel_code__unload(sinks->code, record->address, record->len, record->name,
					   time);
	return kernel_code__load(sinks->code, record->address, record->len, record->name, time);
}

/* Handles the start or end of a process. Ignores the records that the kernel writes for threads. */
static int take_task(struct mapping_sinks *sinks, const struct perf_event_header *header)
{
	const struct task_record *task = (const void *)(header + 1);

	if (body_size(header) < sizeof(*task))
		return -EBADMSG;
	if (header->type == PERF_RECORD_FORK)
		return task->pid == task->parent ?
			       0 :
			       mapped_objects__fork(sinks->objects, (pid_t)task->parent,
						    (pid_t)task->pid);
	if (task->pid == task->tid)
		mapped_objects__end(sinks->objects, (pid_t)task->pid);
	return 0;
}

static int take_lost(struct mapping_sinks *sinks, const struct perf_event_header *header)
{
	const struct lost_record *record = (const void *)(header + 1);

	if (body_size(header) < sizeof(*record))
		return -EBADMSG;
	sinks->lost += record->lost;
	return 0;
}

int mapping_records__take(struct mapping_sinks *sinks, const struct perf_event_header *header,
			  uint64_t time)
{
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		return take_mapping(sinks, header);
	case PERF_RECORD_KSYMBOL:
		return take_kernel_code(sinks, header, time);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return take_task(sinks, header);
	case PERF_RECORD_LOST:
		return take_lost(sinks, header);
	default:
		return 0;
	}
}
