/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads records in which the kernel describes files that are mapped, processes that start or end,
 * and BPF programs that are loaded or unloaded.
 */
#ifndef PSTAT_COUNT_MAPPING_RECORDS_H
#define PSTAT_COUNT_MAPPING_RECORDS_H

#include <stdint.h>

struct kernel_code;
struct mapped_objects;
struct perf_event_header;

/* Where mapping_records__take() stores the content of records. */
struct mapping_sinks {
	struct mapped_objects *objects; /* not owned */
	struct kernel_code *code;	/* not owned */
	/*
	 * number of records that the kernel dropped because a ring buffer was full; the caller adds
	 * the number of invalid records
	 */
	uint64_t lost;
};

/*
 * Reads the record @header, which is header->size bytes long. The last 8 bytes of the record are
 * its time. The caller must pass this time in @time. Returns 0; -ENOMEM; or -EBADMSG if the record
 * is too short for its type, or if its path or name does not end with a NUL.
 */
int mapping_records__take(struct mapping_sinks *sinks, const struct perf_event_header *header,
			  uint64_t time);

#endif
