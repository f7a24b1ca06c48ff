/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts event names in metrics to event strings. */
#ifndef PSTAT_METRIC_EVENT_H
#define PSTAT_METRIC_EVENT_H

#include <stdbool.h>

#include "util/event/evsel.h"

struct strbuf;

/*
 * Adds the event string of @name, the name of an event in a metric's expression. The text between
 * the first and the last @ is the terms of a PMU. @modifier (may be NULL) is added to the event's
 * own modifiers, except for tool events.
 */
void metric_event__add(const char *name, const char *modifier, struct strbuf *text);

/* Returns TOOL_NONE if @name is not a tool event. */
enum tool_event metric_event__tool(const char *name);
/* Returns whether @name is a tool event, such as duration_time, which cannot be in a group. */
bool metric_event__is_tool(const char *name);

#endif
