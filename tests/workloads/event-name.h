/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the events that workloads open. */
#ifndef PSTAT_WORKLOADS_EVENT_NAME_H
#define PSTAT_WORKLOADS_EVENT_NAME_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

struct event_name {
	const char *name;
	__u32 type;
	__u64 config;
};

/* Returns the event whose name is the first @len characters of @text, or NULL. */
static inline const struct event_name *event_name__find(const char *text, size_t len)
{
	static const struct event_name names[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
		{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
		{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len && !strncmp(names[i].name, text, len))
			return &names[i];
	return NULL;
}

#endif
