/* SPDX-License-Identifier: GPL-2.0-only */
/* The records that the kernel writes beside samples (mappings, forks, …), of all CPUs, in the order of their times. */
#ifndef PSTAT_COUNT_RECORD_RINGS_H
#define PSTAT_COUNT_RECORD_RINGS_H

#include <stdint.h>

#include "util/count/profile/record-queue.h"

struct cpumap;
struct perf_event_attr;
struct record_rings;

/* A dummy event with the flags of @what on each CPU that is online. 0 or -errno. */
int record_rings__open(const struct perf_event_attr *what, struct record_rings **rings);
void record_rings__free(struct record_rings *rings);

/* Readable (poll) when much has come: record_rings__take() should be called then, or some is lost. */
int record_rings__fd(const struct record_rings *rings);

/*
 * Closes the rings of CPUs that are not in @online, and keeps their records until the caller takes them. Opens rings
 * on CPUs of @online that have none. Returns 0; -EBADMSG if a ring was corrupt; or another -errno if a ring could not
 * be opened. Logs nothing.
 */
int record_rings__follow_cpus(struct record_rings *rings, const struct cpumap *online);

/* Tells @fn all that was recorded until now, the oldest first. 0, -ENOMEM, -EBADMSG when a ring
 * has no records in it, or what @fn returned. */
int record_rings__take(struct record_rings *rings, record_fn fn, void *ctx);

#endif
