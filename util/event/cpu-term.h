/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As in perf since 6.16, the term cpu= limits an event to some CPUs. The term's value is a CPU
 * number, a list of CPUs, or the name of a PMU. The name of a PMU selects the CPUs on which the PMU
 * counts.
 */
#ifndef PSTAT_EVENT_CPU_TERM_H
#define PSTAT_EVENT_CPU_TERM_H

#include <stddef.h>

struct ast_term;
struct cpumap;
struct evsel;
struct resolver;

/*
 * Limits @evsel to the CPUs of @term. An event with several terms cpu= is opened on every CPU that
 * is in at least one of these terms. The name of a PMU that counts on all CPUs has no effect.
 * @column is the column of the term's value in the event string, for error messages. Returns 0;
 * -EINVAL, with r->error set, if the value is malformed, the PMU's CPUs cannot be read, or the
 * machine lacks one of the CPUs; or -ENOMEM.
 */
int cpu_term__apply(struct resolver *r, const struct ast_term *term, size_t column,
		    struct evsel *evsel);

/*
 * Removes from evsel->pmu_cpus all CPUs that are not in @of_pmu, the list of the CPUs of the
 * event's core PMU. Returns 0; -ENXIO if no CPU is left; or -ENOMEM.
 */
int cpu_term__restrict(struct evsel *evsel, const struct cpumap *of_pmu);

#endif
