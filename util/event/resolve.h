/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts an AST to evsels, using sysfs and tracefs.
 *
 *	resolve.c	groups and events; names in names.h, TYPE:CONFIG, rNNN
 *	resolve-pmu.c	the PMUs for pmu/terms/, and for names of PMUs' events
 *	pmu-event.h	the terms of an event on one PMU
 *	resolve-near.c	suggestions for unknown names
 *	terms.c		generic terms, which do not depend on the PMU (config, name, ...)
 *	tracepoint.c	system:name
 *	breakpoint.c	mem:address, mem:symbol
 *	resolve-tool.c	tool/num_cpus/, sensors, ...: values that pstat itself reads or measures
 *	regroup.c	corrections of groups that the kernel would refuse
 *	resolver.h	functions of resolve.c that these files share
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

/*
 * Adds the events of @ast to @evlist. Returns 0; -EINVAL with @error set; or -ENOMEM. After an
 * error, @evlist can contain some of the events, and the caller must remove them.
 */
int resolve__list(struct evlist *evlist, const struct ast *ast, const struct event_env *env,
		  struct parse_error *error);

/* ---- functions that are used only by the files listed at the top ---- */

struct resolver;

/*
 * Resolves an event of the kind AST_PMU. Like all functions below that resolve events, returns 0;
 * -EINVAL with the resolver's error set; or -ENOMEM.
 */
int resolve_pmu__event(struct resolver *r, const struct ast_event *event);
/*
 * Resolves @event if one or more PMUs have an event with its name. If no PMU has such an event,
 * returns -ENOENT without setting the error.
 */
int resolve_pmu__alias(struct resolver *r, const struct ast_event *event);
/*
 * Resolves @event as an event that sysfs lists for @pmu. If sysfs does not list it, returns
 * -ENOENT.
 */
int resolve_pmu__alias_on(struct resolver *r, const struct ast_event *event, struct pmu *pmu);

/*
 * Suggests names in place of @name: adds similar names to the resolver's error. These are names in
 * names.h, names of PMUs' and vendors' events and, if @pmus_too is set, names of PMUs.
 */
void resolve_near__offer_names(struct resolver *r, const struct span *name, bool pmus_too);

/* Resolves an event of the kind AST_TRACEPOINT. */
int tracepoint__resolve(struct resolver *r, const struct ast_event *event);

/*
 * These functions resolve events whose values pstat itself reads or measures: resolve_tool__name()
 * resolves events of the kind AST_NAME, and resolve_tool__event() resolves events of the kind
 * AST_PMU. If pstat does not itself read or measure the value of @event, they return -ENOENT
 * without setting the error. However, if the PMU is one of those in resolve-tool.c and does not
 * have the event, resolve_tool__event() sets the error and returns -EINVAL.
 */
int resolve_tool__name(struct resolver *r, const struct ast_event *event);
int resolve_tool__event(struct resolver *r, const struct ast_event *event);

/* Resolves an event of the kind AST_BREAKPOINT. */
int breakpoint__resolve(struct resolver *r, const struct ast_event *event);

/*
 * Changes the user's groups, from the event at index @first on, into groups that the kernel
 * accepts. Events can move in the list. If an event moves, or the number of groups changes, prints
 * the same warning as perf, unless env->quiet_regroup or resolver.wildcard is set. Returns 0 or
 * -ENOMEM.
 */
int regroup__events(struct resolver *r, int first);

#endif
