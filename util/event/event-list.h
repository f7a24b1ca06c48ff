/* SPDX-License-Identifier: GPL-2.0-only */
/* The events that have a name on this machine. Read from the name tables, sysfs, tracefs and the vendors' files; nothing is opened. */
#ifndef PSTAT_EVENT_EVENT_LIST_H
#define PSTAT_EVENT_EVENT_LIST_H

#include <stdbool.h>

struct event_env;
struct strbuf;

enum event_kind {
	EVENT_HARDWARE,
	EVENT_SOFTWARE,
	EVENT_CACHE,
	EVENT_TOOL,
	EVENT_PMU,    /* an event that a PMU has in sysfs */
	EVENT_VENDOR, /* one of the vendors' files */
	EVENT_FORM,   /* no event: how to write one by numbers */
	EVENT_TRACEPOINT,
	NR_EVENT_KINDS,
};

/* "Hardware event". */
const char *event_kind__name(enum event_kind kind);

/* Strings live until the callback returns; none is NULL unless said. */
struct listed_event {
	enum event_kind kind;
	const char *name;     /* as -e takes it */
	const char *alias;    /* another name for the same; NULL without */
	const char *pmu;      /* sysfs name; NULL without */
	const char *topic;    /* the vendor's file, a tracepoint's system; "" without */
	const char *unit;     /* of what is printed; "" without */
	double scale;	      /* 0: as counted */
	const char *brief;    /* what it counts; "" when nobody says */
	const char *more;     /* the long description, or a tracepoint's fields (only with `details`); "" without */
	const char *encoding; /* "cpu/event=0x3c/"; "" without */
	bool deprecated;
};

struct event_query {
	unsigned int kinds; /* bits of enum event_kind */
	const char *const
		*globs;	  /* the name, alias, PMU or topic matches one of them, or contains it; case does not matter */
	int nr_globs;	  /* 0: all */
	const char *unit; /* a pattern: leave out events of other PMUs; NULL: list all */
	bool details;	  /* read tracepoints' fields too */
	bool deprecated;  /* list deprecated events too */
};

/*
 * Calls @each for every event that is asked for, kind by kind; stops at the first result that is not 0 and returns it. 0 at the
 * end. What could not be read (tracefs is not mounted) goes to @notes, a line each; of the vendors' files vendor__notes() tells it.
 * Of events that several PMUs of one name and different numbers have, one is told, under the name without a number, which stands
 * for all of them.
 */
int event_list__for_each(const struct event_env *env, const struct event_query *query, struct strbuf *notes,
			 int (*each)(const struct listed_event *event, void *arg), void *arg);

#endif
