/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The term cpu= (perf 6.16 and later) limits an event to some CPUs. Its value is a number, a list,
 * or the name of a PMU, which means the PMU's CPUs.
 */
#ifndef PSTAT_EVENT_CPU_TERM_H
#define PSTAT_EVENT_CPU_TERM_H

#include <stddef.h>

struct ast_term;
struct cpumap;
struct evsel;
struct resolver;

/*
 * Adds the CPUs of @term to @evsel. The term can be repeated. @column is the column of the value,
 * for errors. Returns 0; -EINVAL with r->error set if the value is malformed or the machine lacks
 * one of the CPUs; or -ENOMEM.
 */
int cpu_term__apply(struct resolver *r, const struct ast_term *term, size_t column,
		    struct evsel *evsel);

/*
 * Removes the event's CPUs that are not in @of_pmu, the CPUs of its core PMU. Returns 0; -ENXIO if
 * none is left; or -ENOMEM.
 */
int cpu_term__restrict(struct evsel *evsel, const struct cpumap *of_pmu);

#endif
