/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A parsed event string: an abstract syntax tree (AST). The names have not been looked up on the
 * machine yet. The AST consists of three arrays. A group refers to consecutive events, and an event
 * refers to consecutive terms. Spans (lexer.h) point into the parsed string, which must outlive the
 * AST.
 *
 *	{cs,cpu/event=0x3c,name=x/u}:D,tsc
 *	groups: [0,2) braces D    [2,3) no braces
 *	events: cs cpu(terms [0,2)) u  tsc
 *	terms:	event=0x3c name=x
 */
#ifndef PSTAT_EVENT_AST_H
#define PSTAT_EVENT_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/lexer.h"
#include "util/event/modifiers.h"

/* Limits on the time and memory that one event string can cost. */
#define AST_EVENTS_MAX 16384 /* maximum number of events in the string */
#define AST_TERMS_MAX 64     /* maximum number of terms of one event */

enum term_kind {
	TERM_PLAIN, /* a term without a value: an event of the PMU, a raw code, or a flag */
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
	AST_NAME, /* `name`: a name in names.h, or the name of an event of some PMU */
	/*
	 * `name`/terms/: `name` is the name of a PMU or of a PMU's event, or a pattern for names of
	 * PMUs
	 */
	AST_PMU,
	AST_NUMERIC,	/* type:config; or rNNN, which has the type PERF_TYPE_RAW */
	AST_TRACEPOINT, /* `name`:`event`; each may be a pattern */
	AST_BREAKPOINT, /* mem:`name`[/len][:rwx] */
};

struct ast_event {
	enum ast_kind kind;
	/*
	 * the event as written, with modifiers and surrounding spaces; text.column is the column of
	 * the first character after the leading spaces
	 */
	struct span text;
	/* the name of an event, PMU or tracepoint system; or a breakpoint's address or symbol */
	struct span name;
	struct span event; /* the name of a tracepoint, without its system */
	uint32_t type;
	uint64_t config;
	bool has_address; /* the breakpoint's `name` is a number, stored in `address` */
	uint64_t address;
	uint64_t len; /* of a breakpoint; 0: breakpoint.c chooses the length */
	bool len_given;
	uint32_t access; /* bits: HW_BREAKPOINT_R, _W, _X; 0: the default */
	bool slashes;	 /* the event has a list of terms, even if it is empty, as in name// */
	int first_term, nr_terms;
	bool modified; /* the event has modifiers */
	struct modifiers mod;
};

struct ast_group {
	bool braces;
	int first_event, nr_events;
	struct modifiers mod; /* zeroed if the group has no modifiers */
};

struct ast {
	struct ast_event *events;
	struct ast_term *terms;
	struct ast_group *groups;
	int nr_events, nr_terms, nr_groups;
	int events_room, terms_room, groups_room;
};

void ast__free(struct ast *ast);

/*
 * Each of the following functions adds a zeroed element and returns it, or returns NULL if memory
 * ran out.
 */
struct ast_event *ast__add_event(struct ast *ast);
struct ast_term *ast__add_term(struct ast *ast);
struct ast_group *ast__add_group(struct ast *ast);

#endif
