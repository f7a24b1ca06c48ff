// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu/terms/ and names that a PMU has as its event.
 *
 * An event's terms are laid out flat first: a term that names an event of the PMU is replaced by what sysfs says that it stands for.
 * Then those that set a whole word (config=, a raw code, a generic hardware event) are applied, and on top of them those that set
 * the bits of a format.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/ast.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/names.h"
#include "util/event/parse-error.h"
#include "util/event/parse-events.h"
#include "util/event/parser.h"
#include "util/event/resolve.h"
#include "util/event/terms.h"
#include "util/event/vendor.h"
#include "util/machine/pmu-format.h"
#include "util/machine/pmu.h"
#include "util/machine/pmus.h"

/* A term, and where in the user's string it came from. */
struct flat_term {
	struct ast_term term;
	size_t column;	     /* of the term */
	size_t value_column; /* of its value */
	const char *event;   /* the PMU's event that it comes from, or NULL */
	bool by_vendor;	     /* and that is of a vendor's file, not of sysfs */
	bool used;
};

struct pmu_event {
	struct resolver *r;
	const struct ast_event *event;
	struct pmu *pmu;
	struct evsel *evsel;
	struct flat_term *flat;
	int nr_flat, room;
	bool has_unit, has_scale, has_snapshot;
};

static int push(struct pmu_event *pe, const struct ast_term *term, size_t column, size_t value_column,
		const char *event, bool by_vendor)
{
	if (pe->nr_flat == pe->room) {
		int room = pe->room ? pe->room * 2 : 8;
		struct flat_term *grown = realloc(pe->flat, sizeof(*grown) * (size_t)room);

		if (!grown)
			return -ENOMEM;
		pe->flat = grown;
		pe->room = room;
	}
	pe->flat[pe->nr_flat++] = (struct flat_term){ *term, column, value_column, event, by_vendor, false };
	return 0;
}

/* Unit, scale and the rest may come from one event of several that are named, each from one only. */
static int take_info(struct pmu_event *pe, const struct pmu_alias *alias, size_t column)
{
	struct evsel *evsel = pe->evsel;

	if ((pe->has_unit && *alias->unit) || (pe->has_scale && alias->scale > 0) ||
	    (pe->has_snapshot && alias->snapshot))
		return parse_error__set(pe->r->error, column,
					"'%s': unit, scale and snapshot were given by the event before it",
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

static int push_alias(struct pmu_event *pe, const struct pmu_alias *alias, size_t column, bool by_vendor)
{
	struct parse_error inner = PARSE_ERROR_INIT;
	struct ast ast = { 0 };
	int err = parser__parse_terms(alias->terms, &ast, &inner);

	if (err == -EINVAL)
		parse_error__set(pe->r->error, column, "event '%s' of PMU '%s': %s has '%.*s' for it: %s", alias->name,
				 pmu__name(pe->pmu), by_vendor ? "the vendor's file" : "sysfs", SPAN_SHOWN,
				 alias->terms, inner.reason.text);
	for (int i = 0; i < ast.nr_terms && !err; i++)
		err = push(pe, &ast.terms[i], column, column, alias->name, by_vendor);
	ast__free(&ast);
	parse_error__free(&inner);
	return err ?: take_info(pe, alias, column);
}

/* A name of the vendor's; of ours, which are asked for far more often, none is looked up in the files. -ENOENT when it is none. */
static int expand_vendor(struct pmu_event *pe, const struct span *name, const char *event, size_t column)
{
	const struct vendor_event *found;
	struct pmu_alias alias;
	const char *why;
	uint64_t config;

	if (!pe->r->env->vendor || event_name__find(name) || cache_name__decode(name, &config, &why) != -ENOENT)
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

/* Replaces @term by the terms of the PMU's event of that name. -ENOENT when it has none. */
static int expand_alias(struct pmu_event *pe, const struct span *name, size_t column)
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
		return parse_error__set(pe->r->error, column,
					"event '%s' of PMU '%s': its files in sysfs cannot be used (%s)", event,
					pmu__name(pe->pmu), strerror(-err));
	return err;
}

static int find_format(struct pmu_event *pe, const struct span *name, struct pmu_format *format)
{
	char term[NAME_MAX + 1];

	return span__copy(name, term, sizeof(term)) ? pmu__find_format(pe->pmu, term, format) : -ENOENT;
}

static int expand(struct pmu_event *pe, const struct ast_term *term)
{
	struct pmu_format format;
	int err = -ENOENT;

	if (term->kind == TERM_TEXT && span__is(&term->name, "event"))
		err = expand_alias(pe, &term->value, term->value.column);
	else if (term->kind == TERM_PLAIN && !generic_term__is(term) &&
		 find_format(pe, &term->name, &format) == -ENOENT)
		err = expand_alias(pe, &term->name, term->name.column);
	if (err != -ENOENT)
		return err;
	return push(pe, term, term->name.column, term->kind == TERM_PLAIN ? term->name.column : term->value.column,
		    NULL, false);
}

/* rNNN between slashes. */
static bool is_raw(const struct ast_term *term, uint64_t *config)
{
	char text[18], *end;

	if (term->kind != TERM_PLAIN || !span__copy(&term->name, text, sizeof(text)) || text[0] != 'r' || !text[1] ||
	    strspn(text + 1, "0123456789abcdefABCDEF") != strlen(text + 1))
		return false;
	*config = strtoull(text + 1, &end, 16);
	return true;
}

/* cpu/cycles/, cpu/L1-dcache-loads/: a generic event, on this core PMU. */
static bool set_generic(struct pmu_event *pe, const struct ast_term *term)
{
	struct perf_event_attr *attr = &pe->evsel->attr.attr;
	const struct event_name *row = event_name__find(&term->name);
	const char *why;
	uint64_t config;

	if (term->kind != TERM_PLAIN || !pmu__is_core(pe->pmu))
		return false;
	if (row && row->type == PERF_TYPE_HARDWARE) {
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = row->config;
	} else if (!cache_name__decode(&term->name, &config, &why)) {
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = config;
	} else {
		return false;
	}
	if (pmus__nr_core(pe->r->pmus) > 1)
		attr->config |= (uint64_t)pmu__type(pe->pmu) << PMU_TYPE_SHIFT;
	return true;
}

/* Those that set whole words; they are done with then. */
static int apply_words(struct pmu_event *pe)
{
	for (int i = 0; i < pe->nr_flat; i++) {
		struct flat_term *flat = &pe->flat[i];
		uint64_t config;
		int err = 0;

		flat->used = true;
		if (generic_term__is(&flat->term))
			err = generic_term__apply(&flat->term, flat->value_column, pe->evsel, pe->r->error);
		else if (is_raw(&flat->term, &config))
			pe->evsel->attr.attr.config = config;
		else if (!set_generic(pe, &flat->term))
			flat->used = false;
		if (err)
			return err;
	}
	return 0;
}

/* "event,umask": for messages. The caller frees. */
static void list_formats(struct pmu *pmu, struct strbuf *sb)
{
	const char *name;

	for (int i = 0; (name = pmu__format_name(pmu, i)); i++)
		strbuf__addf(sb, "%s%s", i ? "," : "", name);
}

static int unknown_term(struct pmu_event *pe, const struct flat_term *flat)
{
	struct parse_error *error = pe->r->error;
	struct strbuf formats = STRBUF_INIT;
	char wanted[NAME_MAX + 1];
	const char *name;

	list_formats(pe->pmu, &formats);
	generic_term__unknown(&flat->term, flat->column, pmu__name(pe->pmu), formats.text, error);
	strbuf__free(&formats);
	if (flat->event)
		strbuf__addf(&error->reason, " in %s own event '%s'", flat->by_vendor ? "the vendor's" : "sysfs'",
			     flat->event);
	if (!span__copy(&flat->term.name, wanted, sizeof(wanted)))
		return -EINVAL;
	for (int i = 0; !flat->event && flat->term.kind == TERM_PLAIN && (name = pmu__alias_name(pe->pmu, i)); i++)
		near_names__offer(&error->near, wanted, name);
	for (int i = 0; (name = pmu__format_name(pe->pmu, i)); i++)
		near_names__offer(&error->near, wanted, name);
	return -EINVAL;
}

/* The value of a term that sysfs leaves open ("?"): another term of the same name gives it. */
static int find_parameter(struct pmu_event *pe, const struct flat_term *flat, uint64_t *value)
{
	for (int i = 0; i < pe->nr_flat; i++) {
		struct flat_term *other = &pe->flat[i];

		if (other->term.kind == TERM_NUMBER && other->term.name.len == flat->term.name.len &&
		    !memcmp(other->term.name.s, flat->term.name.s, flat->term.name.len)) {
			other->used = true;
			*value = other->term.number;
			return 0;
		}
	}
	return parse_error__set(pe->r->error, flat->column, "this event needs a term %.*s=NUMBER",
				SPAN_ARG(&flat->term.name));
}

static int term_value(struct pmu_event *pe, const struct flat_term *flat, const struct pmu_format *format,
		      uint64_t *value)
{
	const struct ast_term *term = &flat->term;

	*value = term->number;
	if (term->kind == TERM_PLAIN) {
		if (format->width > 1)
			return parse_error__set(pe->r->error, flat->column, "no value given for term '%.*s'",
						SPAN_ARG(&term->name));
		*value = 1;
	} else if (term->kind == TERM_TEXT) {
		if (!span__is(&term->value, "?"))
			return parse_error__set(pe->r->error, flat->value_column,
						"term '%.*s' needs a number, not '%.*s'", SPAN_ARG(&term->name),
						SPAN_ARG(&term->value));
		if (find_parameter(pe, flat, value))
			return -EINVAL;
	}
	if (*value > pmu_format__max(format))
		return parse_error__set(pe->r->error, flat->value_column,
					"value too big for format (%.*s), maximum is %llu", SPAN_ARG(&term->name),
					(unsigned long long)pmu_format__max(format));
	return 0;
}

static int apply_format(struct pmu_event *pe, struct flat_term *flat, uint64_t config[4])
{
	struct pmu_format format;
	uint64_t value;
	int err = find_format(pe, &flat->term.name, &format);

	if (err == -ENOENT)
		return unknown_term(pe, flat);
	if (err)
		return parse_error__set(pe->r->error, flat->column,
					"term '%.*s' of PMU '%s': its file in sysfs cannot be used (%s)",
					SPAN_ARG(&flat->term.name), pmu__name(pe->pmu), strerror(-err));
	err = term_value(pe, flat, &format, &value);
	if (!err)
		pmu_format__set(&format, value, config);
	return err;
}

static int apply_formats(struct pmu_event *pe)
{
	union perf_attr *attr = &pe->evsel->attr;
	uint64_t config[4] = { attr->attr.config, attr->attr.config1, attr->attr.config2, attr->v8.config3 };

	/* What is left open first: it takes the terms that it gets its values from. */
	for (int open = 1; open >= 0; open--) {
		for (int i = 0; i < pe->nr_flat; i++) {
			struct flat_term *flat = &pe->flat[i];
			bool is_open = flat->term.kind == TERM_TEXT && span__is(&flat->term.value, "?");
			int err = flat->used || is_open != open ? 0 : apply_format(pe, flat, config);

			if (err)
				return err;
		}
	}
	attr->attr.config = config[0];
	attr->attr.config1 = config[1];
	attr->attr.config2 = config[2];
	attr->v8.config3 = config[3];
	return 0;
}

/* @alias: an event of the PMU that is meant besides the terms, or NULL. */
static int configure(struct pmu_event *pe, const struct span *alias)
{
	int err = alias ? expand_alias(pe, alias, alias->column) : 0;

	for (int i = 0; i < pe->event->nr_terms && !err; i++)
		err = expand(pe, &pe->r->ast->terms[pe->event->first_term + i]);
	err = err ?: apply_words(pe);
	err = err ?: apply_formats(pe);
	if (!err && !pe->nr_flat && evsel__is_clock(pe->evsel)) {
		free(pe->evsel->unit);
		pe->evsel->unit = strdup("msec");
		pe->evsel->scale = 1e-6;
		err = pe->evsel->unit ? 0 : -ENOMEM;
	}
	return err ?: resolver__set_pmu(pe->r, pe->evsel, pe->pmu);
}

static int add_on(struct resolver *r, const struct ast_event *event, struct pmu *pmu, const struct span *alias)
{
	struct pmu_event pe = { .r = r, .event = event, .pmu = pmu };
	int err = pmu__load(pmu);

	if (err)
		return parse_error__set(r->error, event->name.column, "PMU '%s': its file '%s' cannot be used (%s)",
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

/* The same event on several PMUs is one row of output, except where the PMUs are the kinds of core of a hybrid machine. */
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

/* Tries the event on each PMU that @wants says; those that cannot take it are passed over as long as one can. -ENOENT: none wanted. */
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
		if (!wants(r, pmu, name))
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
	if (err == -ENOENT)
		err = resolve_pmu__alias(r, event);
	if (err != -ENOENT)
		return err;
	parse_error__set(r->error, event->name.column, "no PMU, and no PMU's event, has the name '%.*s'",
			 SPAN_ARG(&event->name));
	resolve_pmu__offer_names(r, &event->name, true);
	r->error->see_list = true;
	return -EINVAL;
}

struct offer {
	struct near_names *near;
	const char *wanted;
};

static int offer_cache_name(const char *name, uint64_t config, void *arg)
{
	struct offer *offer = arg;

	(void)config;
	near_names__offer(offer->near, offer->wanted, name);
	return 0;
}

void resolve_pmu__offer_names(struct resolver *r, const struct span *span, bool pmus_too)
{
	struct near_names *near = &r->error->near;
	struct pmus *pmus = resolver__pmus(r);
	char wanted[NAME_MAX + 1];
	const char *name;
	struct pmu *pmu;

	if (!span__copy(span, wanted, sizeof(wanted)))
		return;
	for (const struct event_name *row = event_names; row->name; row++) {
		near_names__offer(near, wanted, row->name);
		if (row->alias)
			near_names__offer(near, wanted, row->alias);
	}
	cache_name__for_each(offer_cache_name, &(struct offer){ near, wanted });
	for (int i = 0; pmus && (pmu = pmus__get(pmus, i)); i++) {
		if (pmus_too)
			near_names__offer(near, wanted, pmu__name(pmu));
		for (int j = 0; (name = pmu__alias_name(pmu, j)); j++)
			near_names__offer(near, wanted, name);
	}
	for (int i = 0; r->env->vendor && vendor__get(r->env->vendor, i); i++)
		near_names__offer(near, wanted, vendor__get(r->env->vendor, i)->name);
}
