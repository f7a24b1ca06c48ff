/* SPDX-License-Identifier: GPL-2.0-only */
/* The state and functions that the files listed in resolve.h share. */
#ifndef PSTAT_EVENT_RESOLVER_H
#define PSTAT_EVENT_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

struct ast;
struct ast_event;
struct event_env;
struct evlist;
struct evsel;
struct parse_error;
struct pmu;
struct pmus;
struct span;

/*
 * The struct owns `pmus` if this pointer differs from env->pmus. It does not own the other objects.
 */
struct resolver {
	const struct event_env *env;
	struct evlist *evlist;
	struct parse_error *error;
	const struct ast *ast;
	struct pmus *pmus; /* NULL until first needed */
	/* an event names its PMUs by a pattern, such as imc for uncore_imc_0 and uncore_imc_1 */
	bool wildcard;
};

/* Returns the machine's PMUs, or NULL if memory ran out. */
struct pmus *resolver__pmus(struct resolver *r);
/* Returns a new evsel with exclude_guest set, as in perf, or NULL if memory ran out. */
struct evsel *resolver__new_evsel(uint32_t type, uint64_t config);
/*
 * Adds @evsel to the list, which then owns it. If @evsel has no name, names it @name. On error,
 * frees @evsel. Returns 0; -EINVAL if there are too many events; or -ENOMEM.
 */
int resolver__add(struct resolver *r, const struct ast_event *event, struct evsel *evsel,
		  const struct span *name);
/*
 * Returns whether the event may be one of Intel's topdown events (see regroup.c), according to its
 * type and name. Does not check whether the event's PMU has topdown events.
 */
bool resolver__may_be_topdown(const struct evsel *evsel);
/*
 * Returns whether --cputype or --pmu-filter excludes @pmu. Not called for an event that contains
 * the full name of a PMU, because these options do not affect such an event.
 */
bool resolver__skips(const struct resolver *r, struct pmu *pmu);
/*
 * Returns the value of attr.config that selects the generic event @config on @pmu. If
 * pmus__take_types() returns true, this value includes the PMU's type.
 */
uint64_t resolver__config_on(struct resolver *r, const struct pmu *pmu, uint64_t config);
/*
 * Makes @pmu the PMU of @evsel: sets pmu_name, pmu_cpus, is_uncore and is_core_pmu. @pmu must be
 * loaded (pmu__load()). Warns if the attr has bits that @pmu does not support. Returns 0; -ENXIO if
 * @pmu is a core PMU that has none of the CPUs in the term cpu=; or -ENOMEM.
 */
int resolver__set_pmu(struct resolver *r, struct evsel *evsel, struct pmu *pmu);

#endif
