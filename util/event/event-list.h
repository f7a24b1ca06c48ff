/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists the named events of this machine. The names come from names.h, sysfs, tracefs and the CPU
 * vendors' files (vendor.h). Events are not opened, so the list also contains events that this user
 * is not allowed to count.
 */
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
	/* event of a PMU in sysfs, or of a PMU that exists only in pstat (hwmon, drm) */
	EVENT_PMU,
	EVENT_VENDOR, /* event in the vendors' files */
	EVENT_FORM,   /* not an event, but the syntax of events without a name */
	EVENT_TRACEPOINT,
	NR_EVENT_KINDS,
};

/* Returns the name of the kind, such as "Hardware event". */
const char *event_kind__name(enum event_kind kind);

/*
 * An event as event_list__for_each() passes it to its callback. The strings are valid only during
 * the callback. A missing string is "", or NULL if the comment on the member says so.
 */
struct listed_event {
	enum event_kind kind;
	const char *name;  /* the name, as an argument of -e */
	const char *alias; /* another name of the event, or NULL */
	const char *pmu;   /* name of the PMU, or NULL */
	/* topic in the vendor's file; system of a tracepoint; or "hwmon" or "drm" */
	const char *topic;
	const char *unit;  /* the unit of the printed value */
	double scale;	   /* printed value = count × scale; 0: no scale */
	const char *brief; /* what the event counts */
	/* long description; for a tracepoint, its fields if event_query.details is set */
	const char *more;
	const char *encoding; /* the PMU and terms of the event, such as "cpu/event=0x3c/" */
	bool deprecated;
};

struct event_query {
	unsigned int kinds; /* list all events of these kinds; bit i stands for kind i */
	/*
	 * also list events whose name, alias, PMU or topic matches one of these patterns, ignoring
	 * case; a pattern without * ? [ matches every text that contains it
	 */
	const char *const *globs;
	int nr_globs;
	/* --unit: a pattern for the names of PMUs, or a name without its number; NULL: any PMU */
	const char *unit;
	bool details;	 /* read the fields of tracepoints */
	bool deprecated; /* include deprecated events */
};

/*
 * Calls @each for every requested event, one kind after another. Stops at the first result of @each
 * that is not 0, and returns this result. Otherwise, returns 0 or -ENOMEM. If tracefs cannot be
 * read, adds a line to @notes. For vendors' files, vendor__notes() returns such lines instead. If
 * several PMUs have the same event, and their names differ only in the number after a final '_',
 * such as uncore_imc_0 and uncore_imc_1, the event is listed once, as uncore_imc/EVENT/.
 */
int event_list__for_each(const struct event_env *env, const struct event_query *query,
			 struct strbuf *notes,
			 int (*each)(const struct listed_event *event, void *arg), void *arg);

#endif
