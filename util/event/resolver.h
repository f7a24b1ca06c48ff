/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that resolve.h names share: where the events come from and go to, and the steps that all of them take. */
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

/* Nothing is owned but pmus, which resolve__list() frees. */
struct resolver {
	const struct event_env *env;
	struct evlist *evlist;
	struct parse_error *error;
	const struct ast *ast;
	struct pmus *pmus; /* NULL until someone asks */
	bool wildcard;	   /* a pattern for PMUs was replaced by events */
};

/* The machine's PMUs; NULL without memory. */
struct pmus *resolver__pmus(struct resolver *r);
/* An evsel as the parser leaves every one: exclude_guest set, which is what perf does. NULL without memory. */
struct evsel *resolver__new_evsel(uint32_t type, uint64_t config);
/* Takes @evsel over. Gives it @name if it has none yet. 0; -EINVAL when there are too many events; -ENOMEM. */
int resolver__add(struct resolver *r, const struct ast_event *event, struct evsel *evsel, const struct span *name);
/* Do --cputype or --pmu-filter exclude @pmu for events that do not name a PMU? */
bool resolver__skips(const struct resolver *r, struct pmu *pmu);
/* Returns the generic event's @config for @pmu, with the PMU's type in it on hybrid machines. */
uint64_t resolver__config_on(struct resolver *r, const struct pmu *pmu, uint64_t config);
/*
 * Makes @pmu, which is loaded, the PMU of @evsel: sets its name, CPUs and flags. Returns 0; -ENXIO
 * if @pmu has none of the CPUs in the term cpu=; -ENOMEM.
 */
int resolver__set_pmu(struct resolver *r, struct evsel *evsel, struct pmu *pmu);

#endif
