/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AST to evsels: the second step, which asks sysfs and tracefs what the names mean on this machine.
 *
 *	resolve.c		the walk over groups and events; names and numbers that need no PMU
 *	resolve-pmu.c		pmu/terms/, and names that some PMU has as its event
 *	terms.c			the terms that every event takes (config, name …)
 *	tracepoint.c		system:name
 *	breakpoint.c		mem:address, mem:symbol
 *	regroup.c		groups that would span PMUs
 */
#ifndef PSTAT_EVENT_RESOLVE_H
#define PSTAT_EVENT_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/lexer.h"

struct ast;
struct ast_event;
struct event_env;
struct evlist;
struct evsel;
struct parse_error;
struct pmu;
struct pmus;

/* 0; -EINVAL and @error set; -ENOMEM. On failure @evlist may hold some of the events: the caller truncates it. */
int resolve__list(struct evlist *evlist, const struct ast *ast, const struct event_env *env, struct parse_error *error);

/* On hybrid machines the upper half of a generic event's config names the core PMU (linux/perf_event.h, kernel 5.13). */
#define PMU_TYPE_SHIFT 32

/* What the files above share. */
struct resolver {
	const struct event_env *env;
	struct evlist *evlist;
	struct parse_error *error;
	const struct ast *ast;
	struct pmus *pmus; /* NULL until someone asks */
};

/* The machine's PMUs; NULL without memory. */
struct pmus *resolver__pmus(struct resolver *r);
/* An evsel as the parser leaves every one: exclude_guest set, which is what perf does. NULL without memory. */
struct evsel *resolver__new_evsel(uint32_t type, uint64_t config);
/* Takes @evsel over. Gives it @name if it has none yet. 0; -EINVAL when there are too many events; -ENOMEM. */
int resolver__add(struct resolver *r, const struct ast_event *event, struct evsel *evsel, const struct span *name);
/* It was opened on @pmu, which is loaded: name, CPUs, flags. 0 or -ENOMEM. */
int resolver__set_pmu(struct resolver *r, struct evsel *evsel, struct pmu *pmu);

/* AST_PMU. */
int resolve_pmu__event(struct resolver *r, const struct ast_event *event);
/* A name that is an event of one PMU or several. -ENOENT when it is of none, with nothing said. */
int resolve_pmu__alias(struct resolver *r, const struct ast_event *event);
/* The event of that name on @pmu alone; -ENOENT when it has none. */
int resolve_pmu__alias_on(struct resolver *r, const struct ast_event *event, struct pmu *pmu);
/* Near names for one that is nowhere: fixed names, and what the PMUs have. */
void resolve_pmu__offer_names(struct resolver *r, const struct span *name, bool pmus_too);

/* AST_TRACEPOINT. */
int resolve_tracepoint__event(struct resolver *r, const struct ast_event *event);

/* AST_BREAKPOINT. */
int resolve_breakpoint__event(struct resolver *r, const struct ast_event *event);

/*
 * Makes the events from index @first on one group, or, as the kernel's groups cannot span PMUs, one for each PMU, in the order of
 * the PMUs' names; software events stay with the first. @expanded: an event of it became several, and a split is no surprise.
 * 0 or -ENOMEM.
 */
int regroup__set_leaders(struct resolver *r, int first, bool expanded);

#endif
