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
 * Returns whether the function @name is one of the functions from which most refusals come, and
 * checks something that is specific to events of type @type (perf_event_attr.type). There are about
 * five such functions for each type. A function that checks only the target, the flags or the
 * user's privileges is not specific to a type. Some kernels can attach a BPF program to only one
 * function at a time, and need a few ms for each function. On these kernels, pstat first attaches
 * its program only to the functions for the event's type.
 */
bool why_function__is_for(const char *name, uint32_t type);

/*
 * To find the event's PMU, the kernel calls perf_try_init_event() for one PMU after another.
 * perf_try_init_event() calls the PMU's event_init function, which returns ENOENT if the event does
 * not belong to this PMU. why_function__asks() returns whether @name is perf_try_init_event().
 * why_function__answers() returns whether @name is the event_init function of a PMU.
 */
bool why_function__asks(const char *name);
bool why_function__answers(const char *name);

#endif
