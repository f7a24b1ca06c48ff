// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/ast.h"
#include "util/event/cpu-term.h"
#include "util/event/evsel.h"
#include "util/event/parse-error.h"
#include "util/event/resolver.h"

enum effect {
	SET_CONFIG,
	SET_CONFIG1,
	SET_CONFIG2,
	SET_CONFIG3,
	SET_NAME,
	SET_PERCORE,
	SET_CPU,
	NO_EFFECT, /* accepted, but has no effect on counts */
	UNLISTED,  /* like NO_EFFECT, but perf stat refuses the term, so messages do not list it */
	NOT_HERE,  /* refused, because the term needs samples */
};

static const struct row {
	const char *name;
	enum effect effect;
} rows[] = {
	{ "config", SET_CONFIG },      { "config1", SET_CONFIG1 },
	{ "config2", SET_CONFIG2 },    { "config3", SET_CONFIG3 },
	{ "name", SET_NAME },	       { "period", NO_EFFECT },
	{ "freq", UNLISTED },	       { "percore", SET_PERCORE },
	{ "metric-id", NO_EFFECT },    { "cpu", SET_CPU },
	{ "branch_type", NOT_HERE },   { "time", NOT_HERE },
	{ "call-graph", NOT_HERE },    { "stack-size", NOT_HERE },
	{ "max-stack", NOT_HERE },     { "nr", NOT_HERE },
	{ "inherit", NOT_HERE },       { "no-inherit", NOT_HERE },
	{ "overwrite", NOT_HERE },     { "no-overwrite", NOT_HERE },
	{ "aux-output", NOT_HERE },    { "aux-sample-size", NOT_HERE },
	{ "ratio-to-prev", NOT_HERE }, { .name = NULL },
};

static const struct row *find(const struct ast_term *term)
{
	for (const struct row *row = rows; row->name; row++)
		if (span__is(&term->name, row->name))
			return row;
	return NULL;
}

bool terms__is_generic(const struct ast_term *term)
{
	return find(term);
}

static int set_name(const struct ast_term *term, size_t column, struct evsel *evsel,
		    struct parse_error *error)
{
	char *name;

	if (term->kind == TERM_PLAIN)
		return parse_error__set(error, column, "term 'name' needs a value");
	name = strndup(term->value.s, term->value.len);
	if (!name)
		return -ENOMEM;
	free(evsel->name);
	evsel->name = name;
	evsel->name_given = true;
	return 0;
}

static int set_percore(const struct ast_term *term, size_t column, struct evsel *evsel,
		       struct parse_error *error)
{
	if (term->kind == TERM_TEXT || (term->kind == TERM_NUMBER && term->number > 1))
		return parse_error__set(error, column, "term 'percore' must be 0 or 1");
	evsel->percore = term->kind == TERM_PLAIN || term->number;
	return 0;
}

int terms__apply(struct resolver *r, const struct ast_term *term, size_t column,
		 struct evsel *evsel)
{
	struct parse_error *error = r->error;
	const struct row *row = find(term);
	uint64_t number = term->number;

	if (row->effect == NOT_HERE)
		return parse_error__set(error, column,
					"term '%s' is for sampling, but pstat only counts",
					row->name);
	if (row->effect == SET_NAME)
		return set_name(term, column, evsel, error);
	if (row->effect == SET_PERCORE)
		return set_percore(term, column, evsel, error);
	if (row->effect == SET_CPU)
		return cpu_term__apply(r, term, column, evsel);
	if (row->effect == NO_EFFECT || row->effect == UNLISTED)
		return 0;
	if (term->kind == TERM_PLAIN)
		number = 1;
	if (term->kind == TERM_TEXT)
		return parse_error__set(error, column, "term '%s' needs a number, not '%.*s'",
					row->name, SPAN_ARG(&term->value));
	if (row->effect == SET_CONFIG)
		evsel->attr.attr.config = number;
	else if (row->effect == SET_CONFIG1)
		evsel->attr.attr.config1 = number;
	else if (row->effect == SET_CONFIG2)
		evsel->attr.attr.config2 = number;
	else
		evsel->attr.v8.config3 = number;
	return 0;
}

int terms__apply_all(struct resolver *r, const struct ast_event *event, struct evsel *evsel)
{
	for (int i = 0; i < event->nr_terms; i++) {
		const struct ast_term *term = &r->ast->terms[event->first_term + i];
		int err;

		if (!terms__is_generic(term))
			return terms__unknown(term, term->name.column, NULL, NULL, r->error);
		err = terms__apply(
			r, term, term->kind == TERM_PLAIN ? term->name.column : term->value.column,
			evsel);
		if (err)
			return err;
	}
	return 0;
}

int terms__unknown(const struct ast_term *term, size_t column, const char *pmu, const char *others,
		   struct parse_error *error)
{
	if (parse_error__is_set(error))
		return -EINVAL;
	if (pmu)
		parse_error__set(error, column, "unknown term '%.*s' for pmu '%s'",
				 SPAN_ARG(&term->name), pmu);
	else
		parse_error__set(error, column, "unknown term '%.*s'", SPAN_ARG(&term->name));
	strbuf__adds(&error->hint, "valid terms: ");
	if (others && *others)
		strbuf__addf(&error->hint, "%s,", others);
	for (const struct row *row = rows; row->name; row++)
		if (row->effect != NOT_HERE && row->effect != UNLISTED)
			strbuf__addf(&error->hint, "%s%s", row == rows ? "" : ",", row->name);
	return -EINVAL;
}
