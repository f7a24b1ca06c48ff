/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts event strings, the arguments of -e, to evsels. This is the interface to util/event:
 *
 *	text ─ lexer.h, parser.h ─► ast.h ─ resolve.h ─► evlist.h, evsel.h
 *	         names.h: names that do not depend on the machine; modifiers.h: u, k, ...
 *	            tp-format.h, filter.h: tracepoints; vendor.h: vendors' events
 *
 * event-list.h lists the names of events. pfm-events.h parses event strings that consist of names
 * of libpfm4 (util/machine/pmu/libpfm.h).
 */
#ifndef PSTAT_EVENT_PARSE_EVENTS_H
#define PSTAT_EVENT_PARSE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/parse-error.h"

struct evlist;
struct pmus;
struct sysroots;
struct vendor;

/* The file in which mem:SYMBOL is looked up. The struct does not own its strings. */
struct symbol_source {
	const char *file;    /* ELF file of the command or process, or NULL */
	const char *why_not; /* if `file` is NULL: why, and advice for the user; or NULL */
	bool running;	     /* the program is running, so its load address is known */
	/* if `running` is set: what to add to an address in the file */
	uint64_t bias;
};

/*
 * Everything that determines the resulting events, apart from the event string. The struct does not
 * own the objects to which its members point.
 */
struct event_env {
	const struct sysroots *roots;
	/*
	 * the PMUs of the machine, shared by several calls to parse_events(); NULL: each call that
	 * needs PMUs reads them again
	 */
	struct pmus *pmus;
	/* vendors' events, looked up if a name is neither in names.h nor in sysfs; or NULL */
	struct vendor *vendor;
	const struct symbol_source *symbols; /* NULL: like a zeroed struct */
	/* --pmu-filter: pattern for the PMUs of events that do not name a PMU; NULL: any PMU */
	const char *pmu_filter;
	/* --cputype: the core PMU of events that do not name a PMU; NULL: any core PMU */
	const char *cputype_pmu;
	bool bpf_prog;	    /* -b or --scope was given, so run_cnt can be counted */
	bool scope;	    /* --scope was given, so scope-time can be counted */
	bool quiet_regroup; /* pstat made the groups, so do not warn if the resolver changes them */
	/*
	 * the caller only tests whether the string is valid: do not warn, and do not search for
	 * similar names
	 */
	bool probing;
};

/*
 * Resets @error, and adds the events of one -e argument to @evlist. Returns 0; -EINVAL with the
 * reason in @error; or -ENOMEM. On error, @evlist is unchanged.
 */
int parse_events(struct evlist *evlist, const char *text, const struct event_env *env,
		 struct parse_error *error);

#endif
