// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/parse-events.h"

#include <errno.h>

#include "util/event/ast.h"
#include "util/event/evlist.h"
#include "util/event/parser.h"
#include "util/event/resolve.h"

int parse_events(struct evlist *evlist, const char *text, const struct event_env *env,
		 struct parse_error *error)
{
	struct ast ast = { 0 };
	int nr_before = evlist->nr, err;

	parse_error__free(error);
	strbuf__adds(&error->text, text);
	err = strbuf__failed(&error->text) ? -ENOMEM : 0;
	err = err ?: parser__parse_list(text, &ast, error);
	err = err ?: resolve__list(evlist, &ast, env, error);
	if (err)
		evlist__truncate(evlist, nr_before);
	ast__free(&ast);
	return err;
}
