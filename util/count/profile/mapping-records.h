/* SPDX-License-Identifier: GPL-2.0-only */
/* What a single record tells of mappings, processes and code in the kernel. */
#ifndef PSTAT_COUNT_MAPPING_RECORDS_H
#define PSTAT_COUNT_MAPPING_RECORDS_H

#include <stdint.h>

struct kernel_code;
struct mapped_objects;
struct perf_event_header;

/* To whom it is told. */
struct mapping_sinks {
	struct mapped_objects *objects; /* not owned, as is … */
	struct kernel_code *code;
	uint64_t lost; /* records that nobody took in time */
};

/* @header is a record of header->size bytes, which end with its time. 0; -ENOMEM; -EBADMSG when it is shorter than what is in it. */
int mapping_records__take(struct mapping_sinks *sinks, const struct perf_event_header *header, uint64_t time);

#endif
