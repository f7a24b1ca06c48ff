// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/filter.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/base/near-names.h"
#include "util/event/tp-format.h"

static int add_to(struct evsel *evsel, const char *filter)
{
	struct strbuf both = STRBUF_INIT;
	char *text;

	if (evsel->filter)
		strbuf__addf(&both, "(%s) && (%s)", evsel->filter, filter);
	else
		strbuf__adds(&both, filter);
	text = strbuf__detach(&both);
	if (!text)
		return -ENOMEM;
	free(evsel->filter);
	evsel->filter = text;
	return 0;
}

int filter__add(struct evlist *evlist, int first, const char *filter)
{
	bool found = false;

	for (int i = first; i < evlist->nr; i++) {
		struct evsel *evsel = evlist->entries[i];
		int err = 0;

		if (evsel->attr.attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		found = true;
		err = add_to(evsel, filter);
		if (err)
			return err;
	}
	return found ? 0 : -ENOENT;
}

static bool has_field(const struct tp_format *format, const char *name, size_t len)
{
	/*
	 * fields that every tracepoint has (in the kernel: trace_events_filter.c, and
	 * __generic_field() in trace_events.c)
	 */
	static const char *const generic[] = { "CPU",  "cpu",	     "COMM",
					       "comm", "stacktrace", "STACKTRACE" };
	const char *field;

	for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++)
		if (strlen(generic[i]) == len && !memcmp(generic[i], name, len))
			return true;
	for (int i = 0; (field = tp_format__field(format, i)); i++)
		if (strlen(field) == len && !memcmp(field, name, len))
			return true;
	return false;
}

/*
 * Returns the first word of the filter that should be a field but is not one, and stores its length
 * in *@len. Returns NULL if all fields exist. Numbers, quoted strings, and words to the right of an
 * operator other than &&, || or ! are values. All other words should be fields.
 */
static const char *find_unknown_field(const struct tp_format *format, const char *filter,
				      size_t *len)
{
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
	const char *p = filter;
	bool value = false;

	while (*p) {
		/* strspn() does not depend on the locale, unlike the functions of <ctype.h> */
		*len = *p == '.' ? 0 : strspn(p, word);
		if (*p == '"' || *p == '\'') {
			const char *end = strchr(p + 1, *p);

			p = end ? end + 1 : p + strlen(p);
			value = false;
		} else if (*len) {
			if (!value && (*p < '0' || *p > '9') && !has_field(format, p, *len))
				return p;
			p += *len;
			value = false;
		} else {
			/* && and || end a condition; a single & tests bits */
			if (!strncmp(p, "&&", 2) || !strncmp(p, "||", 2)) {
				value = false;
				p++;
			} else if (strchr("=<>!~&", *p)) {
				value = p[0] != '!' || p[1] == '=';
			}
			p++;
		}
	}
	return NULL;
}

static void add_fields(struct strbuf *sb, const struct tp_format *format)
{
	const char *field;

	strbuf__adds(sb, "\nits fields: ");
	for (int i = 0; (field = tp_format__field(format, i)); i++)
		strbuf__addf(sb, "%s%s", i ? ", " : "", field);
}

static void explain_field(struct strbuf *sb, const struct tp_format *format, const char *filter,
			  const char *name, size_t len)
{
	struct near_names near = { 0 };
	char wanted[NAME_MAX + 1];
	const char *field;

	strbuf__addf(sb, "the tracepoint has no field '%.*s'\n%s\n%*s^",
		     (int)(len < NAME_MAX ? len : NAME_MAX), name, filter, (int)(name - filter),
		     "");
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(len < NAME_MAX ? len : NAME_MAX), name);
	for (int i = 0; (field = tp_format__field(format, i)); i++)
		near_names__offer(&near, wanted, field);
	for (int i = 0; i < near.nr; i++)
		strbuf__addf(sb, "%s%s", i ? ", " : "\ndid you mean: ", near.names[i]);
	near_names__free(&near);
}

void filter__explain(struct strbuf *sb, const struct sysroots *roots, const struct evsel *evsel,
		     int err)
{
	char system[NAME_MAX + 1] = "", name[NAME_MAX + 1] = "";
	struct tp_format *format = NULL;
	const char *unknown = NULL;
	size_t len = 0;

	if (evsel->tracepoint)
		sscanf(evsel->tracepoint, "%255[^:]:%255[^:]", system, name);
	if (*name && !tp_format__new(roots, system, name, &format))
		unknown = find_unknown_field(format, evsel->filter, &len);
	strbuf__addf(sb, "%s: the kernel refuses the filter '%s' (%s): ", evsel->name,
		     evsel->filter, strerror(-err));
	if (unknown)
		explain_field(sb, format, evsel->filter, unknown, len);
	else
		strbuf__adds(sb, "it is not a condition on the tracepoint's fields, such as "
				 "prev_pid == 0 && prev_comm != \"swapper\"");
	if (format)
		add_fields(sb, format);
	tp_format__free(format);
}
