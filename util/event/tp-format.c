// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/tp-format.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"

/*
 * More than the size of any `format` file of the kernel. The largest ones, which contain tables of
 * symbols, are a few dozen kB in size.
 */
#define FILE_MAX (256 << 10)
/* The start of the last part of the file, which follows the fields. */
#define PRINT_FMT "print fmt:"

struct tp_format {
	struct tep_handle *tep;
	struct tep_event *event; /* owned by `tep` */
};

static bool skip(const char **p, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*p, text, len))
		return false;
	*p += len;
	return true;
}

static bool skip_number(const char **p)
{
	size_t len = strspn(*p, "0123456789");

	*p += len;
	return len > 0 && len < 10;
}

/*
 * Skips the declaration of a field: words, stars and an optional array length, as in "unsigned long
 * flags", "struct page * page" and "char comm[16]". The declaration of a field that contains only
 * the location of an array begins with __data_loc or __rel_loc, as in "__data_loc char[] name".
 * Returns false if the text does not begin with a declaration in one of these forms.
 */
static bool skip_declaration(const char **p)
{
	bool is_located = !strncmp(*p, "__data_loc ", 11) || !strncmp(*p, "__rel_loc ", 10);
	int words = 0;

	for (; **p != ';'; words++) {
		if (!isalpha((unsigned char)**p) && **p != '_')
			return false;
		while (isalnum((unsigned char)**p) || **p == '_')
			++*p;
		if (is_located && words && skip(p, "[] ")) {
			is_located = false;
		} else if (skip(p, "[")) {
			if (is_located || !skip_number(p) || !skip(p, "]") || **p != ';')
				return false;
		} else {
			*p += strspn(*p, " *");
		}
	}
	return words > 1 && !is_located;
}

/*
 * Returns whether @line describes a field in the format of f_show() in kernel/trace/trace_events.c.
 */
static bool is_field(const char *line)
{
	const char *p = line;

	if (!skip(&p, "\tfield:") || !skip_declaration(&p) || !skip(&p, ";\toffset:") ||
	    !skip_number(&p) || !skip(&p, ";\tsize:") || !skip_number(&p) || !skip(&p, ";"))
		return false;
	return !*p || (skip(&p, "\tsigned:") && skip_number(&p) && skip(&p, ";") && !*p);
}

/*
 * Adds to @sb the text that libtraceevent is to parse: a made-up name and ID, the lines of @text
 * that are empty or describe a field in the kernel's format, and an empty "print fmt". Omits other
 * lines, because the library leaks memory when it parses them. Omits the real "print fmt", because
 * it can contain functions that the library does not support.
 */
static void add_fields(struct strbuf *sb, char *text)
{
	char *rest = text, *line;

	strbuf__adds(sb, "name: event\nID: 1\nformat:\n");
	while ((line = strsep(&rest, "\n")) && strncmp(line, PRINT_FMT, strlen(PRINT_FMT)))
		if (!*line || is_field(line))
			strbuf__addf(sb, "%s\n", line);
	strbuf__adds(sb, "\nprint fmt: \"\"\n");
}

static int parse(struct tp_format *format, const char *system, char *text)
{
	struct strbuf fields = STRBUF_INIT;
	int err = 0;

	format->tep = tep_alloc();
	if (!format->tep)
		return -ENOMEM;
	tep_set_loglevel(TEP_LOG_NONE);
	add_fields(&fields, text);
	if (strbuf__failed(&fields))
		err = -ENOMEM;
	else if (tep_parse_format(format->tep, &format->event, fields.text, fields.len, system) ||
		 !format->event)
		err = -EINVAL;
	strbuf__free(&fields);
	return err;
}

/*
 * Reads the file only up to PRINT_FMT, because each read(2) waits for the kernel's event_mutex.
 * While a process is closing the events of many tracepoints, it holds this mutex most of the time.
 * Returns the same values as sysfs__read_until().
 */
static int read_format(const struct sysroots *roots, const char *system, const char *name,
		       char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	return sysfs__read_until(roots->tracefs, path, "\n" PRINT_FMT, text, FILE_MAX - 32);
}

int tp_format__new(const struct sysroots *roots, const char *system, const char *name,
		   struct tp_format **out)
{
	struct tp_format *format = calloc(1, sizeof(*format));
	char *text = malloc(FILE_MAX);
	int err = format && text ? 0 : -ENOMEM;

	*out = NULL;
	if (!err)
		err = read_format(roots, system, name, text);
	if (err >= 0)
		err = parse(format, system, text);
	free(text);
	if (err)
		tp_format__free(format);
	else
		*out = format;
	return err;
}

void tp_format__free(struct tp_format *format)
{
	if (!format)
		return;
	tep_free(format->tep);
	free(format);
}

const char *tp_format__field(const struct tp_format *format, int i)
{
	const struct tep_format *fields = &format->event->format;

	for (const struct tep_format_field *field = fields->fields; field; field = field->next)
		if (!i--)
			return field->name;
	for (const struct tep_format_field *field = fields->common_fields; field;
	     field = field->next)
		if (!i--)
			return field->name;
	return NULL;
}

/*
 * Adds @lead and the name of the field that @line declares: the last word of the declaration,
 * without an array length. @line must be a line that is_field() accepts.
 */
static void add_name(struct strbuf *sb, const char *line, const char *lead)
{
	const char *end = strchr(line, ';'), *begin;

	if (end[-1] == ']')
		while (*end != '[')
			end--;
	for (begin = end; isalnum((unsigned char)begin[-1]) || begin[-1] == '_';)
		begin--;
	strbuf__addf(sb, "%s%.*s", lead, (int)(end - begin), begin);
}

/*
 * Adds the names of the tracepoint's own fields. In @text, these fields are between two empty
 * lines, after the fields that all tracepoints have.
 */
static void add_names(struct strbuf *sb, char *text)
{
	char *rest = text, *line;
	int empty = 0, nr = 0;

	while (empty < 2 && (line = strsep(&rest, "\n")) &&
	       strncmp(line, PRINT_FMT, strlen(PRINT_FMT))) {
		if (empty && is_field(line))
			add_name(sb, line, nr++ ? ", " : "");
		empty += !*line;
	}
}

/*
 * Does not use libtraceevent. With libtraceevent, `pstat list -j` would execute six times as many
 * instructions.
 */
void tp_format__describe(const struct sysroots *roots, const char *system, const char *name,
			 struct strbuf *sb)
{
	char *text = malloc(FILE_MAX);

	if (text && read_format(roots, system, name, text) >= 0)
		add_names(sb, text);
	free(text);
}
