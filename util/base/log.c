// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/base/strbuf.h"

static enum log_level max_level = LOG_WARNING;
static void (*log_sink)(enum log_level level, const char *text);

void log__set_level(enum log_level level)
{
	max_level = level;
}

void log__set_sink(void (*sink)(enum log_level level, const char *text))
{
	log_sink = sink;
}

bool log__enabled(enum log_level level)
{
	return level <= max_level;
}

void log__print(enum log_level level, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	char *line, *next;
	va_list ap;

	if (!log__enabled(level))
		return;

	va_start(ap, fmt);
	strbuf__vaddf(&text, fmt, ap);
	va_end(ap);

	if (log_sink) {
		log_sink(level, text.text);
		strbuf__free(&text);
		return;
	}
	line = text.text;
	for (const char *lead = "pstat: "; line && *line; line = next, lead = "       ") {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		fprintf(stderr, "%s%s\n", lead, line);
	}
	strbuf__free(&text);
}

void log__plain_at(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	if (!log__enabled(level) || log_sink)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}

void log__plain(const char *fmt, ...)
{
	va_list ap;

	if (!log__enabled(LOG_WARNING))
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}
