// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/braces.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "util/base/strbuf.h"

struct expansion {
	struct strbuf *out;
	char separator;
	int nr; /* number of words that have been added */
};

/*
 * Returns the length of the unit at @at: text in single quotes, the terms of a PMU's event between
 * slashes (as in cpu/event=0x3c/), or a single character. Braces in quotes or between slashes do
 * not enclose alternatives. The slash in mem:ADDRESS/LENGTH does not begin terms.
 */
static size_t unit_length(const char *word, const char *at)
{
	const char *end = NULL;

	if (*at == '\'' || (*at == '/' && strncmp(word, "mem:", 4) != 0))
		end = strchr(at + 1, *at);
	return end ? (size_t)(end - at) + 1 : 1;
}

/* Returns the brace that closes the brace at @open, or NULL if there is none. */
static const char *find_close(const char *open)
{
	int depth = 0;

	for (const char *at = open; *at; at++) {
		depth += (*at == '{') - (*at == '}');
		if (!depth)
			return at;
	}
	return NULL;
}

/* Returns the first brace of @word that begins alternatives, or NULL. */
static const char *find_open(const char *word)
{
	for (const char *at = word; *at; at += unit_length(word, at))
		if (*at == '{' && at > word)
			return find_close(at) ? at : NULL;
	return NULL;
}

/* Returns the end of the alternative that begins at @at: a comma or the closing brace. */
static const char *alternative_end(const char *at)
{
	int depth = 0;

	for (; depth || (*at != ',' && *at != '}'); at++)
		depth += (*at == '{') - (*at == '}');
	return at;
}

static int expand(struct expansion *x, const char *word, int depth)
{
	const char *open = find_open(word), *close, *end;
	int err = 0;

	if (!open) {
		if (x->nr++ == BRACES_WORDS_MAX)
			return -E2BIG;
		if (x->nr > 1)
			strbuf__addc(x->out, x->separator);
		strbuf__adds(x->out, word);
		return 0;
	}
	if (depth == BRACES_DEPTH_MAX)
		return -E2BIG;
	close = find_close(open);
	for (const char *at = open + 1; !err && at <= close; at = end + 1) {
		struct strbuf one = STRBUF_INIT;

		end = alternative_end(at);
		strbuf__addf(&one, "%.*s%.*s%s", (int)(open - word), word, (int)(end - at), at,
			     close + 1);
		err = strbuf__failed(&one) ? -ENOMEM : expand(x, one.text, depth + 1);
		strbuf__free(&one);
	}
	return err;
}

int braces__expand_word(const char *word, char separator, struct strbuf *out)
{
	struct expansion x = { .out = out, .separator = separator };

	return expand(&x, word, 0);
}

/*
 * Returns the length of the first event in @text, or of the whole text if this event has a brace
 * that is not closed.
 */
static size_t event_length(const char *text)
{
	const char *at = text;

	while (*at && *at != ',' && *at != '}') {
		const char *close = *at == '{' ? find_close(at) : at;

		if (!close)
			return strlen(text);
		at = *at == '{' ? close + 1 : at + unit_length(text, at);
	}
	return (size_t)(at - text);
}

/*
 * Returns the length of the name of a group at the beginning of @text, as in perf's
 * NAME{EVENT,...}. The name of a group ends with a letter or digit, and contains no character that
 * only events have (':', '/', wildcards). Braces after a name enclose alternatives, not a group, if
 * the first alternative would be empty or begin with a colon (cycles{,:u}). They also do so if the
 * event continues after the closing brace with anything but modifiers (such as :u). Returns 0 if
 * @text does not begin with the name of a group.
 */
static size_t group_name_length(const char *text)
{
	size_t len = 0;
	const char *open, *close;

	while (isalnum((unsigned char)text[len]) || (text[len] && strchr("_-.!", text[len])))
		len++;
	open = text + len + strspn(text + len, " \t\n\v\f\r");
	if (!len || !isalnum((unsigned char)text[len - 1]) || *open != '{')
		return 0;
	close = find_close(open);
	return close && !strchr(",:}", open[1]) && strchr(": \t\n\v\f\r,}", close[1]) ? len : 0;
}

static int expand_event(struct expansion *x, const char *event, size_t len)
{
	struct strbuf one = STRBUF_INIT;
	int err;

	strbuf__addf(&one, "%.*s", (int)len, event);
	/* makes expand() add no separator before the first word of this event */
	x->nr = 0;
	err = strbuf__failed(&one) ? -ENOMEM : expand(x, one.text, 0);
	strbuf__free(&one);
	return err;
}

int braces__expand_events(const char *events, struct strbuf *out)
{
	struct expansion x = { .out = out, .separator = ',' };
	bool at_start = true; /* at the start of an event */
	int err = 0, nr = 0;

	while (*events && !err) {
		size_t len = strspn(events, "{},' \t\n\v\f\r");

		if (len) {
			strbuf__addf(out, "%.*s", (int)len, events);
			for (size_t i = 0; i < len; i++)
				at_start = events[i] == ',' || events[i] == '{' ||
					   (events[i] != '}' && at_start);
		} else if (at_start && (len = group_name_length(events))) {
			strbuf__addf(out, "%.*s", (int)len, events);
		} else if ((len = event_length(events)) && at_start) {
			err = expand_event(&x, events, len);
			nr += x.nr;
			at_start = false;
		} else {
			strbuf__addf(out, "%.*s", (int)len, events);
		}
		if (nr > BRACES_WORDS_MAX && x.nr > 1)
			err = -E2BIG;
		events += len;
	}
	return err;
}
