/* SPDX-License-Identifier: GPL-2.0-only */
/* Event names that do not depend on sysfs: hardware, software, cache and tool events. */
#ifndef PSTAT_EVENT_NAMES_H
#define PSTAT_EVENT_NAMES_H

#include <stdint.h>

#include "util/event/evsel.h"

struct span;

struct event_name {
	const char *name;  /* the name that `pstat list` prints first */
	const char *alias; /* or NULL */
	/*
	 * PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE; tool events have the type and config of `dummy`
	 */
	uint32_t type;
	uint64_t config;
	enum tool_event tool;
	const char *help;
};

/* The last row has a NULL name. */
extern const struct event_name event_names[];

/* Returns the row with the name or alias @name, or NULL. Names are case-sensitive, as in perf. */
const struct event_name *event_name__find(const struct span *name);

/*
 * Decodes the name of a hardware cache event: CACHE, CACHE-OP, CACHE-RESULT, CACHE-OP-RESULT or
 * CACHE-RESULT-OP, in any spelling that perf accepts. Also accepts bpftool's names of cache events.
 * The default of OP is "loads", and the default of RESULT is "refs". Stores the config for
 * PERF_TYPE_HW_CACHE (perf_event_open(2)) in *@config. Returns 0; -ENOENT if @name is not the name
 * of a cache event; or -EINVAL, with the reason in *@why, if the cache does not support the
 * operation, or if there are two operations or two results.
 */
int event_name__decode_cache(const struct span *name, uint64_t *config, const char **why);

/*
 * Calls @each once for every cache event, with the common spelling of its name. Stops at the first
 * result of @each that is not 0, and returns this result. Otherwise, returns 0.
 */
int event_name__for_each_cache(int (*each)(const char *name, uint64_t config, void *arg),
			       void *arg);

#endif
