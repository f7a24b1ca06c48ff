/* SPDX-License-Identifier: GPL-2.0-only */
/* The reason why an event string was refused, and the position of the error in the string. */
#ifndef PSTAT_EVENT_PARSE_ERROR_H
#define PSTAT_EVENT_PARSE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/strbuf.h"
#include "util/base/near-names.h"

struct parse_error {
	struct strbuf text;	/* the whole event string, as expanded by braces__expand_events() */
	size_t column;		/* the position of the error in the text, counted from 0 */
	struct strbuf reason;	/* one line without a full stop */
	struct strbuf hint;	/* advice or possible values; may be empty */
	struct near_names near; /* if a name is unknown: similar names */
	bool see_list;		/* suggest `pstat list` */
};

#define PARSE_ERROR_INIT                                                        \
	{                                                                       \
		.text = STRBUF_INIT, .reason = STRBUF_INIT, .hint = STRBUF_INIT \
	}

/* Frees the contents. The struct can then be used for another string. */
void parse_error__free(struct parse_error *error);

/*
 * Sets the reason and the column, unless a function closer to the cause has already set them.
 * Always returns -EINVAL, so that callers can write `return parse_error__set(…)`.
 */
int parse_error__set(struct parse_error *error, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static inline bool parse_error__is_set(const struct parse_error *error)
{
	return error->reason.len > 0;
}

/* Clears everything except the text. */
void parse_error__clear(struct parse_error *error);

/*
 * Adds lines to @sb: the event string, shortened if it is long; the reason, after a mark below the
 * column of the error; the hint; the similar names; and, if `see_list` is set, advice to run `pstat
 * list`.
 */
void parse_error__format(const struct parse_error *error, struct strbuf *sb);

#endif
