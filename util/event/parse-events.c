// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/parse-events.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "util/base/braces.h"
#include "util/event/ast.h"
#include "util/event/evlist.h"
#include "util/event/parse-error.h"
#include "util/event/parser.h"
#include "util/event/resolve.h"

/*
 * Expands alternatives in braces, but not the braces of groups (braces__expand_events()). Stores
 * the result in @error->text. Returns 0; -EINVAL, with @error set, if there are too many
 * alternatives or too many pairs of braces (braces.h); or -ENOMEM.
 */
static int expand(const char *text, struct parse_error *error)
{
	int err = strchr(text, '{') ? braces__expand_events(text, &error->text) : 0;

	if (err == -E2BIG) {
		strbuf__reset(&error->text);
		strbuf__adds(&error->text, text);
		return parse_error__set(error, (size_t)(strchr(text, '{') - text),
					"the braces have more than %d alternatives, or a name has "
					"more than %d pairs of braces",
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

/* ---- errors ---- */

#define LEAD "event syntax error: '"
/*
 * A message shows at most SHOWN characters of an event string, and at most SHOWN_BEFORE of them
 * before the error. ".." marks where the string is cut.
 */
#define SHOWN 58
#define SHOWN_BEFORE 13

void parse_error__clear(struct parse_error *error)
{
	strbuf__free(&error->reason);
	strbuf__free(&error->hint);
	if (error->near.nr)
		near_names__free(&error->near);
	error->column = 0;
	error->see_list = false;
}

void parse_error__free(struct parse_error *error)
{
	parse_error__clear(error);
	strbuf__free(&error->text);
}

int parse_error__set(struct parse_error *error, size_t column, const char *fmt, ...)
{
	va_list ap;

	if (parse_error__is_set(error))
		return -EINVAL;
	error->column = column;
	va_start(ap, fmt);
	strbuf__vaddf(&error->reason, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

void parse_error__format(const struct parse_error *error, struct strbuf *sb)
{
	size_t len = error->text.len;
	size_t column = error->column < len ? error->column : len;
	size_t start = column > SHOWN_BEFORE ? column - SHOWN_BEFORE : 0;
	size_t end = len - start > SHOWN ? start + SHOWN : len;
	size_t cut_left = start ? 2 : 0, cut_right = end < len ? 2 : 0;

	strbuf__adds(sb, LEAD);
	strbuf__adds(sb, cut_left ? ".." : "");
	strbuf__add_clean_part(sb, error->text.text + start + cut_left,
			       end - start - cut_left - cut_right);
	strbuf__addf(sb, "%s'\n%*s\\___ ", cut_right ? ".." : "",
		     (int)(sizeof(LEAD) - 1 + column - start), "");
	strbuf__add_clean_part(sb, error->reason.text, error->reason.len);
	strbuf__addc(sb, '\n');

	if (error->hint.len) {
		strbuf__addc(sb, '\n');
		strbuf__add_clean_lines(sb, error->hint.text);
		strbuf__addc(sb, '\n');
	}
	for (int i = 0; i < error->near.nr; i++) {
		strbuf__adds(sb, i		 ? ", " :
				 error->hint.len ? "did you mean: " :
						   "\ndid you mean: ");
		strbuf__add_clean(sb, error->near.names[i]);
	}
	if (error->near.nr)
		strbuf__addc(sb, '\n');
	if (error->see_list)
		strbuf__adds(sb, "Run 'pstat list' for a list of valid events\n");
}
