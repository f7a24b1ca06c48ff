/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an event string says, before anything of the machine is known. Three flat arrays: groups are runs of events, events own
 * runs of terms. Spans point into the string that was parsed, which must live as long.
 *
 *	{cs,cpu/event=0x3c,name=x/u}:D,tsc
 *	groups:	[0,2) braces D				[2,3) no braces
 *	events:	cs	cpu(terms [0,2)) u		tsc
 *	terms:	event=0x3c	name=x
 */
#ifndef PSTAT_EVENT_AST_H
#define PSTAT_EVENT_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/lexer.h"
#include "util/event/modifiers.h"

/* Bounds on one string; beyond them it is refused, so that no string costs much time or memory. */
#define AST_EVENTS_MAX 16384
#define AST_TERMS_MAX 64 /* of one event */

enum term_kind {
	TERM_PLAIN, /* no value: an event of the PMU, a raw code, or a flag */
	TERM_NUMBER,
	TERM_TEXT,
};

struct ast_term {
	enum term_kind kind;
	struct span name;
	struct span value; /* as written; empty for TERM_PLAIN */
	uint64_t number;
};

enum ast_kind {
	AST_NAME,	/* a word, `name`: of a table, a cache event, or an event of some PMU */
	AST_PMU,	/* `name`/terms/: a PMU, a pattern for PMUs, or an event of some PMU with more terms */
	AST_NUMERIC,	/* type:config, and rNNN, whose type is PERF_TYPE_RAW */
	AST_TRACEPOINT, /* `name`:`event`, each may be a pattern */
	AST_BREAKPOINT, /* mem:`name`[/len][:rwx] */
};

struct ast_event {
	enum ast_kind kind;
	struct span text;  /* all of it, with modifiers and the spaces around it; column: without spaces */
	struct span name;  /* name, PMU, system, or the address as written */
	struct span event; /* of a tracepoint */
	uint32_t type;
	uint64_t config;
	bool has_address; /* the breakpoint's `name` was a number, `address` */
	uint64_t address;
	uint64_t len; /* 0: the default of its access */
	bool len_given;
	uint32_t access; /* HW_BREAKPOINT_R, W, X; 0: the default */
	bool slashes;	 /* name// differs from name */
	int first_term, nr_terms;
	bool modified; /* a modifier word stood there */
	struct modifiers mod;
};

struct ast_group {
	bool braces;
	int first_event, nr_events;
	struct modifiers mod; /* all zero without */
};

struct ast {
	struct ast_event *events;
	struct ast_term *terms;
	struct ast_group *groups;
	int nr_events, nr_terms, nr_groups;
	int events_room, terms_room, groups_room;
};

void ast__free(struct ast *ast);

/* Room for one more, zeroed, and counted. NULL without memory. */
struct ast_event *ast__add_event(struct ast *ast);
struct ast_term *ast__add_term(struct ast *ast);
struct ast_group *ast__add_group(struct ast *ast);

#endif
