/* SPDX-License-Identifier: GPL-2.0-only */
/* Why an event string was refused, and where. */
#ifndef PSTAT_EVENT_PARSE_ERROR_H
#define PSTAT_EVENT_PARSE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/strbuf.h"
#include "util/event/near-names.h"

struct parse_error {
	struct strbuf text;	/* the whole string */
	size_t column;		/* in it, from 0: where the reason applies */
	struct strbuf reason;	/* one line without full stop */
	struct strbuf hint;	/* what to do or what is possible; may be empty */
	struct near_names near; /* names that were perhaps meant */
	bool see_list;		/* a look at `pstat list` would help */
};

#define PARSE_ERROR_INIT                                                        \
	{                                                                       \
		.text = STRBUF_INIT, .reason = STRBUF_INIT, .hint = STRBUF_INIT \
	}

/* Frees what it holds and makes it ready for the next string. */
void parse_error__free(struct parse_error *error);

/* The first reason is kept: whoever is nearer to the cause speaks first. Returns -EINVAL, for `return parse_error__set(…)`. */
int parse_error__set(struct parse_error *error, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static inline bool parse_error__is_set(const struct parse_error *error)
{
	return error->reason.len > 0;
}

/* Forgets the reason, not the text: another way is tried. */
void parse_error__clear(struct parse_error *error);

/* Four lines or fewer on stderr: the string, a mark under the column with the reason, the hint, the near names. */
void parse_error__print(const struct parse_error *error);
/* The same as text. */
void parse_error__format(const struct parse_error *error, struct strbuf *sb);

#endif
