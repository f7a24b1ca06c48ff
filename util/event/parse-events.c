// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/parse-events.h"

#include <errno.h>
#include <string.h>

#include "util/base/braces.h"
#include "util/event/ast.h"
#include "util/event/evlist.h"
#include "util/event/parser.h"
#include "util/event/resolve.h"

/* Expands the alternatives in braces. @error keeps the resulting text. */
static int expand(const char *text, struct parse_error *error)
{
	int err = strchr(text, '{') ? braces__expand_events(text, &error->text) : 0;

	if (err == -E2BIG) {
		strbuf__reset(&error->text);
		strbuf__adds(&error->text, text);
		return parse_error__set(error, (size_t)(strchr(text, '{') - text),
					"the braces have more than %d alternatives, or are nested "
					"more than %d deep",
					BRACES_WORDS_MAX, BRACES_DEPTH_MAX);
	}
	if (!strchr(text, '{'))
		strbuf__adds(&error->text, text);
	return strbuf__failed(&error->text) ? -ENOMEM : err;
}

int parse_events(struct evlist *evlist, const char *text, const struct event_env *env,
		 struct parse_error *error)
{
	struct ast ast = { 0 };
	int nr_before = evlist->nr, err;

	parse_error__free(error);
	err = expand(text, error);
	err = err ?: parser__parse_list(error->text.text, &ast, error);
	err = err ?: resolve__list(evlist, &ast, env, error);
	if (err)
		evlist__truncate(evlist, nr_before);
	ast__free(&ast);
	return err;
}
