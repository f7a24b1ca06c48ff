// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/base/report-write.h"
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

const char *log__value(const char *value)
{
	return *value ? value : "''";
}

bool log__enabled(enum log_level level)
{
	return level <= max_level;
}

/* Prints @text without allocating memory. Replaces all bytes that are not ASCII. */
static void print_bytes(const char *text)
{
	fputs("pstat: ", stderr);
	for (; *text; text++)
		fputc(*text == '\n' || (*text >= 0x20 && *text < 0x7f) ? *text : '?', stderr);
	fputc('\n', stderr);
}

/* Prints all lines with one write(2), unless there is no memory for that. */
static void print_lines(enum log_level level, const char *text)
{
	struct strbuf lines = STRBUF_INIT;
	const char *lead = "pstat: ";

	(void)level;
	for (const char *c = text; *c;) {
		size_t len = strcspn(c, "\n\t");

		strbuf__adds(&lines, lead);
		strbuf__add_clean_part(&lines, c, len);
		strbuf__addc(&lines, c[len] ? c[len] : '\n');
		lead = c[len] == '\t' ? "" : "       ";
		c += len + !!c[len];
	}
	if (!*lead)
		strbuf__addc(&lines, '\n');
	if (strbuf__failed(&lines))
		print_bytes(text);
	else
		report_write(stderr, lines.text, lines.len);
	strbuf__free(&lines);
}

void log__print(enum log_level level, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	char begin[256]; /* the beginning of a text for which there is no memory */
	va_list ap;

	if (!log__enabled(level))
		return;
	nr_errors += level == LOG_ERROR;
	va_start(ap, fmt);
	strbuf__vaddf(&text, fmt, ap);
	va_end(ap);
	if (strbuf__failed(&text)) {
		va_start(ap, fmt);
		vsnprintf(begin, sizeof(begin), fmt, ap);
		va_end(ap);
	}
	(log_sink ?: print_lines)(level, strbuf__failed(&text) ? begin : text.text);
	strbuf__free(&text);
}

int log__out_of_memory(void)
{
	pr_err("out of memory");
	return -ENOMEM;
}

static void vprint_plain(enum log_level level, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT, clean = STRBUF_INIT;

	/* a sink is for errors; it does not get the other lines that perf prints */
	if (!log__enabled(level) || (log_sink && level != LOG_ERROR))
		return;
	strbuf__vaddf(&text, fmt, ap);
	strbuf__add_clean_lines(&clean, text.text);
	if (log_sink) {
		if (clean.len && clean.text[clean.len - 1] == '\n')
			clean.text[--clean.len] = '\0';
		log_sink(level, clean.text);
	} else {
		report_write(stderr, clean.text, clean.len);
	}
	strbuf__free(&text);
	strbuf__free(&clean);
}

void log__plain_at(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprint_plain(level, fmt, ap);
	va_end(ap);
}

void log__plain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprint_plain(LOG_WARNING, fmt, ap);
	va_end(ap);
}
