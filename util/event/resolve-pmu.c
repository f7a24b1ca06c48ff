// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the PMUs on which to open an event that the user wrote as pmu/terms/, or as the name of a
 * PMU's event.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/ast.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/event/pmu-event.h"
#include "util/event/resolve.h"
#include "util/event/resolver.h"
#include "util/event/vendor.h"
#include "util/machine/pmu/pmu.h"
#include "util/machine/pmu/pmus.h"

/*
 * Applies the terms that the user wrote. If @alias is not NULL, first applies the terms of the
 * PMU's event @alias. Finally, sets the PMU of pe->evsel.
 */
static int configure(struct pmu_event *pe, const struct span *alias)
{
	int err = alias ? pmu_event__add_alias(pe, alias, alias->column) : 0;

	for (int i = 0; i < pe->event->nr_terms && !err; i++)
		err = pmu_event__add_term(pe, &pe->r->ast->terms[pe->event->first_term + i]);
	err = err ?: pmu_event__apply(pe);
	if (!err && (!pe->nr_flat || pe->software_name) && evsel__is_clock(pe->evsel)) {
		free(pe->evsel->unit);
		pe->evsel->unit = strdup("msec");
		pe->evsel->scale = 1e-6;
		err = pe->evsel->unit ? 0 : -ENOMEM;
	}
	err = err ?: resolver__set_pmu(pe->r, pe->evsel, pe->pmu);
	if (err == -ENXIO)
		return parse_error__set(
			pe->r->error, pe->event->name.column,
			"PMU '%s' has none of the CPUs in cpu=", pmu__name(pe->pmu));
	return err;
}

static int add_on(struct resolver *r, const struct ast_event *event, struct pmu *pmu,
		  const struct span *alias)
{
	struct pmu_event pe = { .r = r, .event = event, .pmu = pmu };
	int err = pmu__load(pmu);

	if (err)
		return parse_error__set(r->error, event->name.column,
					"PMU '%s': its file '%s' cannot be used (%s)",
					pmu__name(pmu), pmu__bad_file(pmu), strerror(-err));
	pe.evsel = resolver__new_evsel(pmu__type(pmu), 0);
	if (!pe.evsel)
		return -ENOMEM;
	err = configure(&pe, alias);
	free(pe.flat);
	if (!err)
		return resolver__add(r, event, pe.evsel, &event->text);
	evsel__free(pe.evsel);
	return err;
}

/*
 * The evsels from index @first on are the same event on different PMUs. Skips those of the core
 * PMUs of a hybrid machine. The first of the remaining evsels keeps its row. Those after it that
 * have the same unit and scale are merged into this row (`merge_into`).
 */
static void merge(struct resolver *r, int first)
{
	struct evsel *head = NULL;

	for (int i = first; i < r->evlist->nr; i++) {
		struct evsel *evsel = r->evlist->entries[i];

		if (evsel->is_core_pmu)
			continue;
		if (!head) {
			head = evsel;
		} else if (evsel->scale == head->scale && !strcmp(evsel->unit, head->unit)) {
			evsel->merged = true;
			evsel->merge_into = head;
		}
	}
}

/*
 * Tries the event on each PMU for which @wants returns true, except PMUs that --cputype or
 * --pmu-filter excludes. Returns -ENOENT if there is no such PMU. If at least one PMU accepts the
 * event, errors from the other PMUs are ignored, unless memory ran out or there are too many
 * events.
 */
static int add_on_each(struct resolver *r, const struct ast_event *event, const struct span *alias,
		       bool (*wants)(struct resolver *r, struct pmu *pmu, const char *name))
{
	struct pmus *pmus = resolver__pmus(r);
	int first = r->evlist->nr, result = -ENOENT, err;
	char name[NAME_MAX + 1];
	struct pmu *pmu;

	if (!pmus)
		return -ENOMEM;
	if (!span__copy(&event->name, name, sizeof(name)))
		return -ENOENT;
	for (int i = 0; (pmu = pmus__get(pmus, i)); i++) {
		if (resolver__skips(r, pmu) || !wants(r, pmu, name))
			continue;
		err = add_on(r, event, pmu, alias);
		if (err == -ENOMEM || (err && r->evlist->nr >= AST_EVENTS_MAX))
			return err;
		if (result)
			result = err;
	}
	if (result)
		return result;
	parse_error__clear(r->error);
	merge(r, first);
	return 0;
}

static bool has_name(struct resolver *r, struct pmu *pmu, const char *name)
{
	(void)r;
	return pmu__matches(pmu, name);
}

static bool has_vendor_event(struct resolver *r, struct pmu *pmu, const char *name)
{
	return !pmu__load(pmu) && vendor__find(r->env->vendor, name, pmu);
}

static bool has_alias(struct resolver *r, struct pmu *pmu, const char *name)
{
	struct pmu_alias alias;

	(void)r;
	return pmu__find_alias(pmu, name, &alias) != -ENOENT;
}

int resolve_pmu__alias(struct resolver *r, const struct ast_event *event)
{
	int err = add_on_each(r, event, &event->name, has_alias);

	if (err == -ENOENT && r->env->vendor)
		err = add_on_each(r, event, &event->name, has_vendor_event);
	return err;
}

int resolve_pmu__alias_on(struct resolver *r, const struct ast_event *event, struct pmu *pmu)
{
	char name[NAME_MAX + 1];

	if (!span__copy(&event->name, name, sizeof(name)) || !has_alias(r, pmu, name))
		return -ENOENT;
	return add_on(r, event, pmu, &event->name);
}

int resolve_pmu__event(struct resolver *r, const struct ast_event *event)
{
	struct pmus *pmus = resolver__pmus(r);
	char name[NAME_MAX + 1];
	struct pmu *pmu;
	int err;

	if (!pmus)
		return -ENOMEM;
	pmu = span__copy(&event->name, name, sizeof(name)) ? pmus__find(pmus, name) : NULL;
	if (pmu)
		return add_on(r, event, pmu, NULL);
	err = add_on_each(r, event, NULL, has_name);
	r->wildcard |= !err;
	if (err == -ENOENT)
		err = resolve_pmu__alias(r, event);
	if (err == -ENOENT)
		err = resolve_tool__event(r, event);
	if (err != -ENOENT)
		return err;
	parse_error__set(r->error, event->name.column,
			 "no PMU, and no PMU's event, has the name '%.*s'%s%s",
			 SPAN_ARG(&event->name),
			 r->env->pmu_filter ? " among the PMUs of --pmu-filter " : "",
			 r->env->pmu_filter ?: "");
	resolve_near__offer_names(r, &event->name, true);
	r->error->see_list = true;
	return -EINVAL;
}
