/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the records (PERF_RECORD_MMAP2 with build ids, available since Linux 5.12) in which the
 * kernel reports the files that processes map after mapping_events__open(). So pstat also knows the
 * files of processes that end before pstat can read /proc/PID/maps. Also reads the records of
 * processes that start or end, and of BPF programs that are loaded or unloaded
 * (PERF_RECORD_KSYMBOL, available since Linux 5.1).
 */
#ifndef PSTAT_COUNT_MAPPING_EVENTS_H
#define PSTAT_COUNT_MAPPING_EVENTS_H

#include <stdint.h>

struct cpumap;
struct kernel_code;
struct mapped_objects;
struct mapping_events;

/*
 * Watches all processes on the online CPUs. mapping_events__take() adds mappings to @objects, and
 * BPF programs to @code. Both must outlive the result. Returns 0 or -errno.
 */
int mapping_events__open(struct mapped_objects *objects, struct kernel_code *code,
			 struct mapping_events **events);
void mapping_events__free(struct mapping_events *events);

/*
 * Returns an fd that becomes readable (poll) when a ring buffer is half full. Then call
 * mapping_events__take(), because records are lost while a buffer is full.
 */
int mapping_events__fd(const struct mapping_events *events);
/* From this call on, watches only the CPUs in @online. Returns 0 or -errno. Prints no message. */
int mapping_events__follow_cpus(struct mapping_events *events, const struct cpumap *online);
/* Processes the records that have arrived. Returns 0 or -ENOMEM. */
int mapping_events__take(struct mapping_events *events);
/*
 * Returns the number of records that have been lost since mapping_events__open() because a buffer
 * was full or a record was invalid. An invalid record counts as one lost record, although pstat may
 * also drop the records that follow it in the buffer.
 */
uint64_t mapping_events__lost(const struct mapping_events *events);

#endif
