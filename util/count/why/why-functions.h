/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel functions that may refuse an event: which of them `pstat why` watches, and when. */
#ifndef PSTAT_COUNT_WHY_FUNCTIONS_H
#define PSTAT_COUNT_WHY_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether this function may refuse an event. About 300 functions of a kernel may. */
bool why_function__may_refuse(const char *name);

/*
 * Returns whether this function is one of those from which most refusals come. There are about 30.
 */
bool why_function__is_usual(const char *name);

/*
 * Returns whether this function refuses events of the type @type (perf_event_attr) in particular.
 * For each type, there are about five functions. This is for kernels that attach a program to one
 * function at a time, which takes a few ms for each function.
 */
bool why_function__is_for(const char *name, uint32_t type);

/*
 * The kernel asks each PMU whether an event is its own. Returns whether this is the function that
 * asks, or the function of a PMU that answers. A PMU to which the event does not belong returns
 * ENOENT.
 */
bool why_function__asks(const char *name);
bool why_function__answers(const char *name);

#endif
