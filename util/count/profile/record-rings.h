/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the kernel's records of mappings, forks, … (but not samples) from a ring buffer on each
 * online CPU, and sorts them by time.
 */
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
 * Returns an fd that becomes readable (poll) when a ring buffer is half full. Then call
 * record_rings__take(), because records are lost while a buffer is full.
 */
int record_rings__fd(const struct record_rings *rings);

/*
 * Closes the rings of CPUs that are not in @online, and opens rings on CPUs of @online that have
 * none. Records of closed rings are kept for record_rings__take(). Returns 0; -EBADMSG if a ring
 * had an invalid record; or another -errno, for example if a ring could not be opened. Prints no
 * message.
 */
int record_rings__follow_cpus(struct record_rings *rings, const struct cpumap *online);

/*
 * Passes to @fn all records that were written before this call, the oldest first. The next call
 * passes the records that are written during this call. Returns 0; -ENOMEM; -EBADMSG if a ring had
 * an invalid record; or the error of @fn.
 */
int record_rings__take(struct record_rings *rings, record_fn fn, void *ctx);

#endif
