/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of metrics, as event strings. */
#ifndef PSTAT_METRIC_EVENT_H
#define PSTAT_METRIC_EVENT_H

#include <stdbool.h>

#include "util/event/evsel.h"

struct strbuf;

/*
 * Adds the event string of @name, the name of an event in a metric's expression: what stands between the first and the last @ are a PMU's
 * terms, and @modifier (may be NULL) comes on top of modifiers of its own. Tool events take none.
 */
void metric_event__add(const char *name, const char *modifier, struct strbuf *text);

/* TOOL_NONE if @name is another event. */
enum tool_event metric_event__tool(const char *name);
/* Is it duration_time or another event that cannot be in a group? */
bool metric_event__is_tool(const char *name);

#endif
