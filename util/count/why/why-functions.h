/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the kernel functions that may refuse an event. `pstat why` watches these functions.
 */
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
 * Returns whether the function @name is one of about 30 functions from which most refusals come, or
 * a function with which a PMU checks its events (NAME_event_init).
 */
bool why_function__is_usual(const char *name);

/*
 * Returns whether the function @name checks only some types of events, and @type
 * (perf_event_attr.type) is one of them. There are about five such functions for each type. Some
 * kernels can attach a BPF program to only one function at a time, and need a few ms for each. On
 * these kernels, pstat first attaches its program only to these functions.
 */
bool why_function__is_for(const char *name, uint32_t type);

/*
 * perf_try_init_event() calls the event_init function of each PMU, until one of them accepts the
 * event. If the event does not belong to a PMU, the function of this PMU returns ENOENT.
 * why_function__asks() returns whether @name is perf_try_init_event(). why_function__answers()
 * returns whether @name is the event_init function of a PMU.
 */
bool why_function__asks(const char *name);
bool why_function__answers(const char *name);

#endif
