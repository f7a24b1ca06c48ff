// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/base/strbuf.h"

static enum log_level max_level = LOG_WARNING;
static unsigned int nr_errors;
static void (*log_sink)(enum log_level level, const char *text);

void log__set_level(enum log_level level)
{
	max_level = level;
}

void log__set_sink(void (*sink)(enum log_level level, const char *text))
{
	log_sink = sink;
}

unsigned int log__nr_errors(void)
{
	return nr_errors;
}

/* Without memory for the text: no indent then, but all words. */
static void print_unbuffered(const char *fmt, va_list ap)
{
	fputs("pstat: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
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

	nr_errors += level == LOG_ERROR;
	va_start(ap, fmt);
	strbuf__vaddf(&text, fmt, ap);
	va_end(ap);

	if (log_sink) {
		log_sink(level, strbuf__failed(&text) ? "out of memory" : text.text);
		strbuf__free(&text);
		return;
	}
	if (strbuf__failed(&text)) {
		va_start(ap, fmt);
		print_unbuffered(fmt, ap);
		va_end(ap);
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

void log__plain(const char *fmt, ...)
{
	va_list ap;

	if (!log__enabled(LOG_WARNING))
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}
