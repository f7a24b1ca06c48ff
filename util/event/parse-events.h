/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event strings, as -e takes them, to evsels. This is the face of the event layer:
 *
 *	text ─ lexer.h, parser.h ─► ast.h ─ resolve.h ─► evlist.h of evsel.h
 *	         names.h: those that need no machine; modifiers.h
 *	            tp-format.h, filter.h: tracepoints; vendor.h: names that CPU vendors give
 *
 * event-list.h goes the other way: it lists the names. pfm-events.h is for names of libpfm4 (see
 * util/machine/libpfm.h).
 */
#ifndef PSTAT_EVENT_PARSE_EVENTS_H
#define PSTAT_EVENT_PARSE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/parse-error.h"

struct evlist;
struct sysroots;
struct vendor;

/* Where mem:SYMBOL looks. Nothing is owned. */
struct symbol_source {
	const char *file;    /* the ELF file of the command or process; NULL: there is none */
	const char *why_not; /* without a file: what to do, in words */
	bool running;	     /* it runs already, with its symbols at their address + bias */
	uint64_t bias;
};

/* What the meaning of a name depends on. Nothing is owned. */
struct event_env {
	const struct sysroots *roots;
	struct vendor *vendor; /* the vendors' events; read when a name is not found otherwise; NULL: none */
	const struct symbol_source *symbols; /* NULL: as with a source without a file */
	/* --pmu-filter: a pattern for the PMUs of events that do not name a PMU; NULL: any PMU */
	const char *pmu_filter;
	const char *cputype_pmu; /* --cputype: the PMU of events that do not name one; NULL: any */
	bool bpf_prog;		 /* run_cnt has a meaning: -b was given */
	bool quiet_regroup;	 /* pstat made the groups: do not warn when they change */
	bool probing;		 /* errors are not printed: do not look for similar names */
};

/*
 * Adds the events of one -e argument to @evlist. 0; -EINVAL: it cannot be taken, and @error (whatever it held before) says why
 * and where; -ENOMEM. On failure @evlist is as it was.
 */
int parse_events(struct evlist *evlist, const char *text, const struct event_env *env, struct parse_error *error);

#endif
