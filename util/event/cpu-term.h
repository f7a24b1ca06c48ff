/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The term cpu=, since perf 6.16: the CPUs on which an event counts, as numbers, a list, or those
 * of a PMU.
 */
#ifndef PSTAT_EVENT_CPU_TERM_H
#define PSTAT_EVENT_CPU_TERM_H

#include <stddef.h>

struct ast_term;
struct cpumap;
struct evsel;
struct resolver;

/*
 * Adds the CPUs of @term to those of @evsel: the term can be repeated. Returns 0; -EINVAL with
 * the error set, also for a CPU that the machine does not have; -ENOMEM.
 */
int cpu_term__apply(struct resolver *r, const struct ast_term *term, size_t column, struct evsel *evsel);

/*
 * Leaves those of the event's CPUs that a core PMU has. Returns 0; -ENXIO if it has none of them;
 * -ENOMEM.
 */
int cpu_term__restrict(struct evsel *evsel, const struct cpumap *of_pmu);

#endif
