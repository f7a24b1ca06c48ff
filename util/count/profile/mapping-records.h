/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a single record about mappings, processes, or code in the kernel. */
#ifndef PSTAT_COUNT_MAPPING_RECORDS_H
#define PSTAT_COUNT_MAPPING_RECORDS_H

#include <stdint.h>

struct kernel_code;
struct mapped_objects;
struct perf_event_header;

/* What the records are added to. */
struct mapping_sinks {
	struct mapped_objects *objects; /* not owned, like code */
	struct kernel_code *code;
	uint64_t lost; /* records that the kernel dropped because a ring was full */
};

/*
 * @header is a record of header->size bytes, which end with its time. Returns 0; -ENOMEM; or
 * -EBADMSG if the record is shorter than its content.
 */
int mapping_records__take(struct mapping_sinks *sinks, const struct perf_event_header *header,
			  uint64_t time);

#endif
