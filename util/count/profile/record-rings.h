/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's records other than samples (mappings, forks, …) of all CPUs, sorted by time. */
#ifndef PSTAT_COUNT_RECORD_RINGS_H
#define PSTAT_COUNT_RECORD_RINGS_H

#include <stdint.h>

#include "util/count/profile/record-queue.h"

struct cpumap;
struct perf_event_attr;
struct record_rings;

/* Opens a dummy event with the flags of @what on each online CPU. Returns 0 or -errno. */
int record_rings__open(const struct perf_event_attr *what, struct record_rings **rings);
void record_rings__free(struct record_rings *rings);

/*
 * Returns an fd that is readable (poll) when the rings fill up. Then call record_rings__take().
 * Otherwise, records are lost.
 */
int record_rings__fd(const struct record_rings *rings);

/*
 * Closes the rings of CPUs that are not in @online, and keeps their records until the caller takes
 * them. Opens rings on CPUs of @online that have none. Returns 0; -EBADMSG if a ring was corrupt;
 * or another -errno if a ring could not be opened. Logs nothing.
 */
int record_rings__follow_cpus(struct record_rings *rings, const struct cpumap *online);

/*
 * Passes all records so far to @fn, the oldest first. Returns 0; -ENOMEM; -EBADMSG if the content
 * of a ring is corrupt; or the error of @fn.
 */
int record_rings__take(struct record_rings *rings, record_fn fn, void *ctx);

#endif
