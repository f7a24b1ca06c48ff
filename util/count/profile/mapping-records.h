/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads one of the kernel's records about a mapping, a process, or code in the kernel. */
#ifndef PSTAT_COUNT_MAPPING_RECORDS_H
#define PSTAT_COUNT_MAPPING_RECORDS_H

#include <stdint.h>

struct kernel_code;
struct mapped_objects;
struct perf_event_header;

/* Where the content of records is added. */
struct mapping_sinks {
	struct mapped_objects *objects; /* not owned */
	struct kernel_code *code;	/* not owned */
	/*
	 * number of records that the kernel dropped because a ring was full; the caller adds
	 * invalid records
	 */
	uint64_t lost;
};

/*
 * Reads the record @header, which has header->size bytes and ends with its time. Returns 0;
 * -ENOMEM; or -EBADMSG if the record is too short for its content.
 */
int mapping_records__take(struct mapping_sinks *sinks, const struct perf_event_header *header,
			  uint64_t time);

#endif
