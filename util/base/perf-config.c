// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/perf-config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/base/strbuf.h"

#define END (-1)

struct parser {
	const char *file;
	const char *at, *end;
	int line;
	struct strbuf section; /* with a dot at the end: "stat." */
	struct strbuf name, value;
	struct strbuf *why;
};

/* ---- characters, independently of the locale ---- */

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_char(int c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static char to_lower(int c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int peek(const struct parser *p)
{
	if (p->at < p->end && *p->at == '\r' && p->at + 1 < p->end && p->at[1] == '\n')
		return '\n';
	return p->at < p->end ? (unsigned char)*p->at : END;
}

static int next(struct parser *p)
{
	int c = peek(p);

	if (c == END)
		return END;
	p->at += *p->at == '\r' && c == '\n' ? 2 : 1;
	p->line += c == '\n';
	return c;
}

static void skip_blanks(struct parser *p)
{
	while (is_blank(peek(p)))
		next(p);
}

static void skip_line(struct parser *p)
{
	while (peek(p) != '\n' && peek(p) != END)
		next(p);
}

/* ---- errors ---- */

__attribute__((format(printf, 3, 4))) static int fail(struct parser *p, int line, const char *fmt,
						      ...)
{
	va_list ap;

	strbuf__addf(p->why, "%s:%d: ", p->file, line);
	va_start(ap, fmt);
	strbuf__vaddf(p->why, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Returns a readable form of the character @c for messages. */
static const char *show(int c, char text[16])
{
	if (c == END || c == '\n')
		return "the end of the line";
	snprintf(text, 16, c > ' ' && c < 0x7f ? "'%c'" : "byte 0x%02x", c);
	return text;
}

/* ---- sections ---- */

/* Parses "sub" and its quotes in [section "sub"]. Stops at the bracket. */
static int parse_subsection(struct parser *p)
{
	int line = p->line, c = next(p);

	if (c != '"')
		return fail(p, line,
			    "a section's name must be followed by ] or by a name in quotes: "
			    "[section \"name\"]");
	strbuf__addc(&p->section, '.');
	while ((c = peek(p)) != '"') {
		if (c == '\\') {
			next(p);
			c = peek(p);
		}
		if (c == '\n' || c == END || !c)
			return fail(p, line, "the quotes in a section's name are not closed");
		strbuf__addc(&p->section, (char)next(p));
	}
	next(p);
	if (peek(p) != ']')
		return fail(p, line, "] is missing after the section's name");
	return 0;
}

static int parse_section(struct parser *p)
{
	int line = p->line, err = 0;
	char text[16];

	next(p);
	strbuf__reset(&p->section);
	while (is_name_char(peek(p)) || peek(p) == '.')
		strbuf__addc(&p->section, to_lower(next(p)));
	if (!p->section.len)
		return fail(p, line, "the name of a section is missing");
	if (is_blank(peek(p))) {
		skip_blanks(p);
		err = parse_subsection(p);
	} else if (peek(p) != ']') {
		err = fail(p, line, "%s in a section's name: ] must end the name",
			   show(peek(p), text));
	}
	if (err)
		return err;
	next(p);
	strbuf__addc(&p->section, '.');
	return 0;
}

/* ---- settings ---- */

/* Returns the character that a backslash and @c represent, or END if the escape is invalid. */
static int unescape(int c)
{
	switch (c) {
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case 'n':
		return '\n';
	case '\\':
	case '"':
		return c;
	default:
		return END;
	}
}

/*
 * Parses an escape sequence, and adds its character to the value. Adds nothing for a backslash at
 * the end of a line.
 */
static int add_escape(struct parser *p, int line)
{
	int c, meant;
	char text[16];

	next(p);
	c = peek(p);
	if (c == '\n') {
		next(p);
		return 0;
	}
	meant = unescape(c);
	if (meant == END)
		return fail(p, line, "a backslash before %s in a value: write \\\\ for a backslash",
			    show(c, text));
	strbuf__addc(&p->value, (char)meant);
	next(p);
	return 0;
}

/*
 * Returns whether the next two characters are a backslash and a newline, which join two lines.
 * White space before the backslash becomes a space only if the next line adds text to the value.
 */
static bool joins_lines(const struct parser *p)
{
	struct parser behind = *p;

	behind.at++;
	return *p->at == '\\' && peek(&behind) == '\n';
}

static bool ends_value(int c, bool quoted)
{
	return c == '\n' || c == END || (!quoted && (c == '#' || c == ';'));
}

static int parse_value(struct parser *p, int line)
{
	bool quoted = false, spaced = false;
	int c, err = 0;

	strbuf__reset(&p->value);
	while (!err && !ends_value(c = peek(p), quoted)) {
		if (!c)
			return fail(p, line, "a value contains a NUL byte");
		if (is_blank(c) && !quoted) {
			spaced = p->value.len > 0;
			next(p);
			continue;
		}
		if (spaced && !joins_lines(p)) {
			strbuf__addc(&p->value, ' ');
			spaced = false;
		}
		if (c == '\\') {
			err = add_escape(p, line);
		} else if (c == '"') {
			quoted = !quoted;
			next(p);
		} else {
			strbuf__addc(&p->value, (char)next(p));
		}
	}
	if (!err && quoted)
		return fail(p, line, "the quotes of a value are not closed");
	skip_line(p);
	return err;
}

static int parse_setting(struct parser *p, perf_config_fn take, void *data)
{
	struct perf_config_item item = { .file = p->file, .line = p->line };
	int err;

	strbuf__reset(&p->name);
	strbuf__add(&p->name, p->section.text, p->section.len);
	while (is_name_char(peek(p)))
		strbuf__addc(&p->name, to_lower(next(p)));
	if (!p->section.len)
		return fail(p, item.line,
			    "'%s' is in no section: write a line such as [stat] before it",
			    p->name.text);
	skip_blanks(p);
	if (peek(p) != '=')
		return fail(p, item.line,
			    "= is missing after '%s': a setting is written NAME = VALUE",
			    p->name.text + p->section.len);
	next(p);
	err = parse_value(p, item.line);
	if (err || strbuf__failed(&p->name) || strbuf__failed(&p->value))
		return err ?: -ENOMEM;
	item.name = p->name.text;
	item.value = p->value.text;
	take(data, &item);
	return 0;
}

static int parse_all(struct parser *p, perf_config_fn take, void *data)
{
	char text[16];
	int err = 0;

	while (!err) {
		int c = peek(p);

		if (c == END)
			return 0;
		if (is_blank(c) || c == '\n')
			next(p);
		else if (c == '#' || c == ';')
			skip_line(p);
		else if (c == '[')
			err = parse_section(p);
		else if (is_letter(c))
			err = parse_setting(p, take, data);
		else
			err = fail(p, p->line, "%s cannot begin a section or a setting",
				   show(c, text));
	}
	return err;
}

int perf_config__parse(const char *file, const char *text, size_t len, perf_config_fn take,
		       void *data, struct strbuf *why)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	struct parser p = {
		.file = file,
		.at = text,
		.end = text + len,
		.line = 1,
		.section = STRBUF_INIT,
		.name = STRBUF_INIT,
		.value = STRBUF_INIT,
		.why = why,
	};
	bool failed;
	int err;

	if (len >= 3 && !memcmp(text, byte_order_mark, 3))
		p.at += 3;
	err = parse_all(&p, take, data);
	failed = strbuf__failed(&p.section);
	strbuf__free(&p.section);
	strbuf__free(&p.name);
	strbuf__free(&p.value);
	return failed ? -ENOMEM : err;
}

/* ---- values ---- */

int perf_config__bool(const char *value, bool *is_true)
{
	static const char *const words[][2] = {
		{ "false", "true" }, { "no", "yes" }, { "off", "on" }, { "", "" }
	};
	char *end;
	long number;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (int which = 0; which < 2; which++) {
			if (!strcasecmp(value, words[i][which])) {
				*is_true = which && *value;
				return 0;
			}
		}
	}
	/* a number out of range is true, because strtol() then returns LONG_MIN or LONG_MAX */
	number = strtol(value, &end, 0);
	if (end == value || is_blank((unsigned char)*value) || *value == '\n')
		return -EINVAL;
	if (*end && strchr("kKmMgG", *end))
		end++;
	if (*end)
		return -EINVAL;
	*is_true = number != 0;
	return 0;
}

bool perf_config__lists(const char *list, const char *name)
{
	size_t len = strlen(name);

	if (!len)
		return false;
	for (const char *at = list; (at = strstr(at, name)); at++) {
		const char *before = at, *behind = at + len;

		while (before > list && is_blank((unsigned char)before[-1]))
			before--;
		while (is_blank((unsigned char)*behind))
			behind++;
		if ((before == list || before[-1] == ',') && (!*behind || *behind == ','))
			return true;
	}
	return false;
}
