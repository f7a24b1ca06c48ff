/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event of one PMU: its terms to an attr.
 *
 *	terms of the event ── pmu-event-terms.c ──► flat terms ── pmu-event-attr.c ──► attr, unit, scale
 *
 * The terms are laid out flat first: one that names an event of the PMU is replaced by what sysfs, or a vendor's file, says that it
 * stands for. Then those that set a whole word (config=, a raw code, a generic hardware event) are applied, and on top of them those
 * that set the bits of a format.
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

/* A term, and where in the user's string it came from. */
struct flat_term {
	struct ast_term term;
	size_t column;	     /* of the term */
	size_t value_column; /* of its value */
	const char *event;   /* the PMU's event that it comes from, or NULL */
	bool by_vendor;	     /* and that is of a vendor's file, not of sysfs */
	bool used;
};

/* Zeroed but for the first four is an event without terms; the table of flat terms is its own, to be freed. */
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

/* Adds what the event of the PMU that is named @name (at @column of the user's string) stands for. -ENOENT when there is none. */
int pmu_event__add_alias(struct pmu_event *pe, const struct span *name, size_t column);
/* Adds @term of the event itself. */
int pmu_event__add_term(struct pmu_event *pe, const struct ast_term *term);
/* Sets pe->evsel's attr from the flat terms. */
int pmu_event__apply(struct pmu_event *pe);
/* All: 0; -EINVAL and the resolver's error is set; -ENOMEM. */

/* The format of the PMU that is named @name. 0, -ENOENT, or another -errno when its file cannot be used. */
int pmu_event__find_format(const struct pmu_event *pe, const struct span *name, struct pmu_format *format);

#endif
