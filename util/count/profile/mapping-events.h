/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What code processes map from now on, told by the kernel as it happens (PERF_RECORD_MMAP2 with build ids, Linux 5.12): so the files of a
 * command that is over in a moment are known too, which nobody could have read in /proc. And the same of BPF programs in the kernel
 * (PERF_RECORD_KSYMBOL, 5.1).
 */
#ifndef PSTAT_COUNT_MAPPING_EVENTS_H
#define PSTAT_COUNT_MAPPING_EVENTS_H

#include <stdint.h>

struct cpumap;
struct kernel_code;
struct mapped_objects;
struct mapping_events;

/* Of all processes, on the CPUs that are online. @objects and @code are told what is found, and must outlive it. 0 or -errno. */
int mapping_events__open(struct mapped_objects *objects, struct kernel_code *code, struct mapping_events **events);
void mapping_events__free(struct mapping_events *events);

/* Readable (poll) when much has come: mapping_events__take() should be called then, or some is lost. */
int mapping_events__fd(const struct mapping_events *events);
/* Watches exactly the CPUs of @online from now on. Returns 0 or -errno without logging. */
int mapping_events__follow_cpus(struct mapping_events *events, const struct cpumap *online);
/* Tells what has come. 0 or -ENOMEM. */
int mapping_events__take(struct mapping_events *events);
/* How much was lost until now, as nobody took it in time or it made no sense. */
uint64_t mapping_events__lost(const struct mapping_events *events);

#endif
