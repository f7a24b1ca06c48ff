// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/pmu-event.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/evsel.h"
#include "util/event/names.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/event/parser.h"
#include "util/event/resolver.h"
#include "util/event/terms.h"
#include "util/event/vendor.h"
#include "util/machine/pmu/pmu-format.h"
#include "util/machine/pmu/pmu.h"

static int push(struct pmu_event *pe, const struct ast_term *term, size_t column,
		size_t value_column, const char *event, bool by_vendor)
{
	if (pe->nr_flat == pe->room) {
		int room = pe->room ? pe->room * 2 : 8;
		struct flat_term *grown = realloc(pe->flat, sizeof(*grown) * (size_t)room);

		if (!grown)
			return -ENOMEM;
		pe->flat = grown;
		pe->room = room;
	}
	pe->flat[pe->nr_flat++] =
		(struct flat_term){ *term, column, value_column, event, by_vendor, false };
	return 0;
}

/*
 * Copies the unit, the scale and the flags (snapshot, per_pkg) of @alias, an event of the PMU, to
 * pe->evsel. If several terms name events of the PMU (pmu/a,b/), at most one of these events may
 * have a unit, at most one a scale, and at most one the flag `snapshot`.
 */
static int take_info(struct pmu_event *pe, const struct pmu_alias *alias, size_t column)
{
	struct evsel *evsel = pe->evsel;

	if ((pe->has_unit && *alias->unit) || (pe->has_scale && alias->scale > 0) ||
	    (pe->has_snapshot && alias->snapshot))
		return parse_error__set(
			pe->r->error, column,
			"'%s': the preceding event already sets the unit, the scale or snapshot",
			alias->name);
	if (*alias->unit) {
		free(evsel->unit);
		evsel->unit = strdup(alias->unit);
		if (!evsel->unit)
			return -ENOMEM;
		pe->has_unit = true;
	}
	if (alias->scale > 0) {
		evsel->scale = alias->scale;
		pe->has_scale = true;
	}
	pe->has_snapshot |= alias->snapshot;
	evsel->snapshot |= alias->snapshot;
	evsel->per_pkg |= alias->per_pkg;
	return 0;
}

static int push_alias(struct pmu_event *pe, const struct pmu_alias *alias, size_t column,
		      bool by_vendor)
{
	struct parse_error inner = PARSE_ERROR_INIT;
	struct ast ast = { 0 };
	int err = parser__parse_terms(alias->terms, &ast, &inner);

	if (err == -EINVAL)
		parse_error__set(pe->r->error, column,
				 "event '%s' of PMU '%s': %s describes it as '%.*s': %s",
				 alias->name, pmu__name(pe->pmu),
				 by_vendor ? "the vendor's file" : "sysfs", SPAN_SHOWN,
				 alias->terms, inner.reason.text);
	for (int i = 0; i < ast.nr_terms && !err; i++)
		err = push(pe, &ast.terms[i], column, column, alias->name, by_vendor);
	ast__free(&ast);
	parse_error__free(&inner);
	return err ?: take_info(pe, alias, column);
}

/*
 * Adds the terms of a vendor's event. @name and @event both contain its name. Returns -ENOENT if
 * there is no such event. Also returns -ENOENT if @name is in names.h: reading the vendors' files
 * takes time, and the names in names.h are the most common ones.
 */
static int expand_vendor(struct pmu_event *pe, const struct span *name, const char *event,
			 size_t column)
{
	const struct vendor_event *found;
	struct pmu_alias alias;
	const char *why;
	uint64_t config;

	if (!pe->r->env->vendor || event_name__find(name) ||
	    event_name__decode_cache(name, &config, &why) != -ENOENT)
		return -ENOENT;
	found = vendor__find(pe->r->env->vendor, event, pe->pmu);
	if (!found)
		return -ENOENT;
	alias = (struct pmu_alias){ .name = found->name,
				    .terms = found->terms,
				    .unit = found->unit,
				    .scale = found->scale,
				    .per_pkg = found->per_pkg };
	return push_alias(pe, &alias, column, true);
}

int pmu_event__add_alias(struct pmu_event *pe, const struct span *name, size_t column)
{
	struct pmu_alias alias;
	char event[NAME_MAX + 1];
	int err;

	if (!span__copy(name, event, sizeof(event)))
		return -ENOENT;
	err = pmu__find_alias(pe->pmu, event, &alias);
	if (!err)
		return push_alias(pe, &alias, column, false);
	if (err == -ENOENT)
		return expand_vendor(pe, name, event, column);
	if (err != -ENOMEM)
		return parse_error__set(
			pe->r->error, column,
			"event '%s' of PMU '%s': its files in sysfs cannot be used (%s)", event,
			pmu__name(pe->pmu), strerror(-err));
	return err;
}

int pmu_event__find_format(const struct pmu_event *pe, const struct span *name,
			   struct pmu_format *format)
{
	char term[NAME_MAX + 1];

	return span__copy(name, term, sizeof(term)) ? pmu__find_format(pe->pmu, term, format) :
						      -ENOENT;
}

int pmu_event__add_term(struct pmu_event *pe, const struct ast_term *term)
{
	struct pmu_format format;
	int err = -ENOENT;

	if (term->kind == TERM_TEXT && span__is(&term->name, "event"))
		err = pmu_event__add_alias(pe, &term->value, term->value.column);
	else if (term->kind == TERM_PLAIN && !terms__is_generic(term) &&
		 pmu_event__find_format(pe, &term->name, &format) == -ENOENT)
		err = pmu_event__add_alias(pe, &term->name, term->name.column);
	/*
	 * if @term names an event of a core PMU, and a generic hardware event has the same name,
	 * store the config of the generic event, because metrics need it
	 */
	if (!err && term->kind == TERM_PLAIN && pmu__is_core(pe->pmu)) {
		const struct event_name *row = event_name__find(&term->name);

		if (row && row->type == PERF_TYPE_HARDWARE)
			pe->evsel->generic_hw = (int)row->config;
	}
	if (err != -ENOENT)
		return err;
	return push(pe, term, term->name.column,
		    term->kind == TERM_PLAIN ? term->name.column : term->value.column, NULL, false);
}
