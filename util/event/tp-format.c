// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/tp-format.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/base/strbuf.h"
#include "util/base/sysfs.h"

/* The largest that a kernel has are some tens of kB: tables of symbols for printing. */
#define FILE_MAX (256 << 10)

struct tp_format {
	struct tep_handle *tep;
	struct tep_event *event; /* tep owns it */
};

/*
 * Only the list of fields is of use here, and only it goes to the library: what stands behind it says how to print a record, with
 * functions that a parser need not know.
 */
static void cut_print_format(char *text)
{
	char *print = strstr(text, "\nprint fmt:");

	if (print)
		strcpy(print, "\nprint fmt: \"\"\n");
}

static int parse(struct tp_format *format, const char *system, char *text)
{
	format->tep = tep_alloc();
	if (!format->tep)
		return -ENOMEM;
	tep_set_loglevel(TEP_LOG_NONE);
	cut_print_format(text);
	if (tep_parse_format(format->tep, &format->event, text, strlen(text), system) || !format->event)
		return -EINVAL;
	return 0;
}

int tp_format__new(const struct sysroots *roots, const char *system, const char *name, struct tp_format **out)
{
	struct tp_format *format = calloc(1, sizeof(*format));
	char *text = malloc(FILE_MAX), path[PATH_MAX];
	int err = format && text ? 0 : -ENOMEM;

	*out = NULL;
	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	if (!err)
		err = sysfs__read(roots->tracefs, path, text, FILE_MAX - 32);
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
	for (const struct tep_format_field *field = fields->common_fields; field; field = field->next)
		if (!i--)
			return field->name;
	return NULL;
}

void tp_format__describe(const struct sysroots *roots, const char *system, const char *name, struct strbuf *sb)
{
	struct tp_format *format;
	int nr = 0;

	if (tp_format__new(roots, system, name, &format))
		return;
	for (const struct tep_format_field *field = format->event->format.fields; field; field = field->next)
		strbuf__addf(sb, "%s%s", nr++ ? ", " : "", field->name);
	tp_format__free(format);
}
