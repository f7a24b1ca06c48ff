/* SPDX-License-Identifier: GPL-2.0-only */
/* The records that the kernel writes beside samples (mappings, forks, …), of all CPUs, in the order of their times. */
#ifndef PSTAT_COUNT_RECORD_RINGS_H
#define PSTAT_COUNT_RECORD_RINGS_H

#include <stdint.h>

struct perf_event_attr;
struct perf_event_header;
struct record_rings;

/* A dummy event with the flags of @what on each CPU that is online. 0 or -errno. */
int record_rings__open(const struct perf_event_attr *what, struct record_rings **rings);
void record_rings__free(struct record_rings *rings);

/* Readable (poll) when much has come: record_rings__take() should be called then, or some is lost. */
int record_rings__fd(const struct record_rings *rings);

/* Is told a record, and its time (ns of CLOCK_MONOTONIC). 0, or -errno to be told no more. */
typedef int (*record_fn)(void *ctx, const struct perf_event_header *record, uint64_t time);

/* Tells @fn all that was recorded until now, the oldest first. 0, -ENOMEM, or what @fn returned: the others are not told then, or later. */
int record_rings__take(struct record_rings *rings, record_fn fn, void *ctx);

#endif
