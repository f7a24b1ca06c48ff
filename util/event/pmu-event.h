/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts the terms of a PMU's event to an attr.
 *
 *	terms ── pmu-event-terms.c ──► flat terms ── pmu-event-attr.c ──► attr, unit, scale
 *
 * First, a term that names an event of the PMU is replaced by the event's terms from sysfs or a
 * vendor's file. The result is a list of "flat" terms, in which no term names an event of the PMU.
 * Second, generic terms such as config= (terms.h), raw codes, and names of generic and software
 * events are applied. Finally, each remaining term is applied according to its format, which the
 * PMU defines: the set of bits of config, config1, config2 and config3 that the term sets.
 */
#ifndef PSTAT_EVENT_PMU_EVENT_H
#define PSTAT_EVENT_PMU_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/event/ast.h"

struct evsel;
struct pmu;
struct pmu_format;
struct resolver;

/*
 * A term, and the columns of the user's string at which errors in the term are reported. If the
 * term comes from an event of the PMU, both columns are the column of this event's name.
 */
struct flat_term {
	struct ast_term term;
	size_t column;	     /* column of the term */
	size_t value_column; /* column of the term's value */
	/* the PMU's event to which the term belongs; NULL: the user wrote the term */
	const char *event;
	bool by_vendor; /* the event is from a vendor's file and not from sysfs */
	/*
	 * the term has been applied, or has provided the value for a term whose value in sysfs is
	 * "?"
	 */
	bool used;
};

/*
 * The caller must set the first four members, set all other members to zero, and finally free
 * `flat`.
 */
struct pmu_event {
	struct resolver *r;
	const struct ast_event *event;
	struct pmu *pmu;
	struct evsel *evsel;
	struct flat_term *flat;
	int nr_flat, room;
	bool has_unit, has_scale, has_snapshot;
	bool software_name; /* a term is the name of a software event */
};

/*
 * Adds the terms of the PMU's event (alias) @name to pe->flat. @column is the position of the name
 * in the user's string. Returns -ENOENT if there is no such event; for the other results, see
 * below.
 */
int pmu_event__add_alias(struct pmu_event *pe, const struct span *name, size_t column);
/*
 * Adds @term, which the user wrote, to pe->flat. If @term names an event of the PMU, adds the terms
 * of this event instead.
 */
int pmu_event__add_term(struct pmu_event *pe, const struct ast_term *term);
/* Sets the attr of pe->evsel from the flat terms. */
int pmu_event__apply(struct pmu_event *pe);
/*
 * pmu_event__add_alias(), pmu_event__add_term() and pmu_event__apply() return 0; -EINVAL, with the
 * resolver's error set; or -ENOMEM. pmu_event__add_alias() can also return -ENOENT.
 */

/*
 * Finds the format @name of the PMU. Returns 0; -ENOENT if there is no such format; or another
 * -errno if the format's file is invalid.
 */
int pmu_event__find_format(const struct pmu_event *pe, const struct span *name,
			   struct pmu_format *format);

#endif
