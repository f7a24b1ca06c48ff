// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/base/report-write.h"
#include "util/base/strbuf.h"

static enum log_level max_level = LOG_WARNING;
static void (*log_sink)(enum log_level level, const char *text);
/*
 * Hashes of the messages that log__print_once() has printed. If the array is full,
 * log__print_once() prints any other message each time.
 */
static uint64_t printed[32];
static unsigned int nr_printed;

void log__set_level(enum log_level level)
{
	max_level = level;
}

void log__set_sink(void (*sink)(enum log_level level, const char *text))
{
	log_sink = sink;
}

const char *log__value(const char *value)
{
	return *value ? value : "''";
}

bool log__enabled(enum log_level level)
{
	return level <= max_level;
}

/*
 * Prints @text without allocating memory. Prints '?' for each byte that is neither printable ASCII
 * nor a newline.
 */
static void print_bytes(const char *text)
{
	fputs("pstat: ", stderr);
	for (; *text; text++)
		fputc(*text == '\n' || (*text >= 0x20 && *text < 0x7f) ? *text : '?', stderr);
	fputc('\n', stderr);
}

/*
 * Prints @text with the prefix and the indentation, in one call to report_write(). Control
 * characters other than tab and newline become '?'. If memory runs out, calls print_bytes()
 * instead.
 */
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

/* Returns whether @text has been printed before. If not, stores its hash (FNV-1a). */
static bool was_printed(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	for (unsigned int i = 0; i < nr_printed; i++)
		if (printed[i] == hash)
			return true;
	if (nr_printed < sizeof(printed) / sizeof(printed[0]))
		printed[nr_printed++] = hash;
	return false;
}

static void vprint(enum log_level level, bool once, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT;
	/* the beginning of the message, printed if memory runs out */
	char begin[256];
	const char *message = begin;
	va_list again;

	if (!log__enabled(level))
		return;
	va_copy(again, ap);
	strbuf__vaddf(&text, fmt, ap);
	if (strbuf__failed(&text))
		vsnprintf(begin, sizeof(begin), fmt, again);
	else
		message = text.text;
	va_end(again);
	if (!once || !was_printed(message))
		(log_sink ?: print_lines)(level, message);
	strbuf__free(&text);
}

void log__print(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprint(level, false, fmt, ap);
	va_end(ap);
}

void log__print_once(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprint(level, true, fmt, ap);
	va_end(ap);
}

int log__out_of_memory(void)
{
	pr_err("out of memory");
	return -ENOMEM;
}

static void vprint_plain(enum log_level level, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT, clean = STRBUF_INIT;

	/* if there is a sink, drop all texts except errors */
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
