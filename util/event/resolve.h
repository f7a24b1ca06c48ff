/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AST to evsels: the second step, which asks sysfs and tracefs what the names mean on this machine.
 *
 *	resolve.c		the walk over groups and events; names and numbers that need no PMU
 *	resolve-pmu.c		pmu/terms/, and names that some PMU has as its event: on which PMUs
 *	pmu-event.h		… and what the terms are on one PMU
 *	resolve-near.c		names that one which is nowhere may have been meant for
 *	terms.c			the terms that every event takes (config, name …)
 *	tracepoint.c		system:name
 *	breakpoint.c		mem:address, mem:symbol
 *	resolve-tool.c		tool/num_cpus/, sensors, graphics devices: figures that pstat reads itself
 *	regroup.c		groups that would span PMUs
 *	resolver.h		what they share
 */
#ifndef PSTAT_EVENT_RESOLVE_H
#define PSTAT_EVENT_RESOLVE_H

#include <stdbool.h>

struct ast;
struct ast_event;
struct event_env;
struct evlist;
struct parse_error;
struct pmu;
struct span;

/* 0; -EINVAL and @error set; -ENOMEM. On failure @evlist may hold some of the events: the caller truncates it. */
int resolve__list(struct evlist *evlist, const struct ast *ast, const struct event_env *env, struct parse_error *error);

/* ---- the files above, for each other ---- */

struct resolver;

/* AST_PMU. */
int resolve_pmu__event(struct resolver *r, const struct ast_event *event);
/* A name that is an event of one PMU or several. -ENOENT when it is of none, with nothing said. */
int resolve_pmu__alias(struct resolver *r, const struct ast_event *event);
/* The event of that name on @pmu alone; -ENOENT when it has none. */
int resolve_pmu__alias_on(struct resolver *r, const struct ast_event *event, struct pmu *pmu);

/* Puts fixed names, and what the PMUs have, that are near @name into the resolver's error. */
void resolve_near__offer_names(struct resolver *r, const struct span *name, bool pmus_too);

/* AST_TRACEPOINT. */
int resolve_tracepoint__event(struct resolver *r, const struct ast_event *event);

/*
 * AST_NAME and AST_PMU for figures that pstat reads itself. Returns -ENOENT, without setting the
 * error, if no figure has the name.
 */
int resolve_tool__name(struct resolver *r, const struct ast_event *event);
int resolve_tool__event(struct resolver *r, const struct ast_event *event);

/* AST_BREAKPOINT. */
int resolve_breakpoint__event(struct resolver *r, const struct ast_event *event);

/*
 * Turns the user's groups, from the event at index @first on, into groups that the kernel accepts.
 * Events may move in the list. If one does, or if the number of groups changes, prints perf's
 * warning. Returns 0 or -ENOMEM.
 */
int regroup__events(struct resolver *r, int first);

#endif
