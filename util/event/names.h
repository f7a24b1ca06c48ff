/* SPDX-License-Identifier: GPL-2.0-only */
/* The event names that need no sysfs: hardware, software, hardware caches, tool events. */
#ifndef PSTAT_EVENT_NAMES_H
#define PSTAT_EVENT_NAMES_H

#include <stdint.h>

#include "util/event/evsel.h"

struct span;

struct event_name {
	const char *name;  /* the one that is printed first in lists */
	const char *alias; /* NULL when there is none */
	uint32_t type;	   /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE; a tool event's has no meaning */
	uint64_t config;
	enum tool_event tool;
	const char *help;
};

/* Ends with a row whose name is NULL. */
extern const struct event_name event_names[];

/* The row of a name or alias, or NULL. Names are case-sensitive, as in the kernel's own tools. */
const struct event_name *event_name__find(const struct span *name);

/*
 * The name of a hardware cache event: CACHE, CACHE-OP, CACHE-RESULT, CACHE-OP-RESULT or CACHE-RESULT-OP, in any of their
 * spellings; or one of bpftool's names. What is left out is "loads" and "refs". @config is PERF_TYPE_HW_CACHE's (perf_event_open(2)).
 * 0; -ENOENT when it begins with no cache's name or goes on with something else; -EINVAL when the cache has no such
 * operation, or two operations or two results are named, and *@why says which.
 */
int cache_name__decode(const struct span *name, uint64_t *config, const char **why);

/* Calls @each for the common spelling of every cache event. Stops at the first result that is not 0 and returns it. */
int cache_name__for_each(int (*each)(const char *name, uint64_t config, void *arg), void *arg);

#endif
