/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the kernel functions that may refuse an event, which `pstat why` watches. */
#ifndef PSTAT_COUNT_WHY_FUNCTIONS_H
#define PSTAT_COUNT_WHY_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns whether the kernel function @name may refuse an event. A kernel has about 300 such
 * functions.
 */
bool why_function__may_refuse(const char *name);

/*
 * Returns whether the function is one of about 30 from which most refusals come, or a function of a
 * PMU that checks its events (NAME_event_init).
 */
bool why_function__is_usual(const char *name);

/*
 * Returns whether the function checks events of the type @type (perf_event_attr.type) in
 * particular. A type has about five such functions. Needed for kernels that attach a program to one
 * function at a time, which takes a few ms for each function.
 */
bool why_function__is_for(const char *name, uint32_t type);

/*
 * perf_try_init_event() calls a function of each PMU, until one accepts the event. A PMU to which
 * the event does not belong returns ENOENT. why_function__asks() returns whether @name is
 * perf_try_init_event(), and why_function__answers() whether it is such a function of a PMU.
 */
bool why_function__asks(const char *name);
bool why_function__answers(const char *name);

#endif
