// SPDX-License-Identifier: GPL-2.0-only
/*
 * A family contains all samples of one metric. The two formats differ mainly in the names, types
 * and units of families, and in the last line:
 *
 *	OpenMetrics			Prometheus text
 *	# TYPE pstat_cycles counter	# TYPE pstat_cycles_total counter
 *	# TYPE pstat_build info		# TYPE pstat_build_info gauge
 *	# UNIT, # EOF			-
 */
#include "util/output/openmetrics.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/strbuf.h"
#include "util/report/export/metric-page.h"

#define NUMBER_SIZE 40

const char *const metric_format_types[METRIC_FORMAT_NR] = {
	[FORMAT_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[FORMAT_PROMETHEUS_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
};

static const char *const type_names[] = {
	[METRIC_COUNTER] = "counter",
	[METRIC_GAUGE] = "gauge",
	[METRIC_INFO] = "info",
	[METRIC_HISTOGRAM] = "histogram",
};

/* ---- numbers ---- */

/* Writes the digits of @count before @end. Returns the address of the first digit. */
static char *put_digits(char *end, uint64_t count)
{
	do {
		*--end = (char)('0' + count % 10);
		count /= 10;
	} while (count);
	return end;
}

static void add_count(struct strbuf *text, uint64_t count)
{
	char digits[NUMBER_SIZE], *begin = put_digits(digits + sizeof(digits), count);

	strbuf__add(text, begin, (size_t)(digits + sizeof(digits) - begin));
}

/* Adds a time in seconds, without zeros at the end of the fraction. */
static void add_seconds(struct strbuf *text, uint64_t ns)
{
	char digits[NUMBER_SIZE], *end = digits + sizeof(digits), *begin;

	add_count(text, ns / NSEC_PER_SEC);
	ns %= NSEC_PER_SEC;
	if (!ns)
		return;
	/*
	 * put_digits() does not write zeros at the beginning of a number. So a whole second is
	 * added to @ns: it becomes a digit 1 in front of these zeros. The decimal point then
	 * replaces this digit.
	 */
	begin = put_digits(end, NSEC_PER_SEC + ns);
	*begin = '.';
	while (end[-1] == '0')
		end--;
	strbuf__add(text, begin, (size_t)(end - begin));
}

/* Adds a short text that strtod() converts back to exactly @number. */
static void add_number(struct strbuf *text, double number)
{
	const char *point = localeconv()->decimal_point, *at;
	char digits[NUMBER_SIZE];

	if (isnan(number) || isinf(number)) {
		strbuf__adds(text, isnan(number) ? "NaN" : number < 0.0 ? "-Inf" : "+Inf");
		return;
	}
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, number);
		if (strtod(digits, NULL) == number)
			break;
	}
	at = *point ? strstr(digits, point) : NULL;
	strbuf__add(text, digits, at ? (size_t)(at - digits) : strlen(digits));
	if (at)
		strbuf__addf(text, ".%s", at + strlen(point));
}

/* ---- lines ---- */

/*
 * Returns the suffix that follows the family's name in the name of a sample, for example "_total".
 */
static const char *suffix_of(const struct metric_family *family, enum metric_part part)
{
	static const char *const parts[] = { "", "_bucket", "_sum", "_count" };

	return family->type == METRIC_COUNTER ? "_total" :
	       family->type == METRIC_INFO    ? "_info" :
						parts[part];
}

static void add_comment(const char *kind, const char *name, const char *suffix, const char *value,
			struct strbuf *text)
{
	strbuf__addf(text, "# %s %s%s %s\n", kind, name, suffix, value);
}

/*
 * Adds the HELP line. In the text format of Prometheus, quotation marks in HELP must not be
 * escaped.
 */
static void add_help(const struct metric_family *family, enum metric_format format,
		     const char *suffix, struct strbuf *text)
{
	struct strbuf help = STRBUF_INIT;

	metric_labels__escape(&help, family->help);
	strbuf__addf(text, "# HELP %s%s ", family->name, suffix);
	for (const char *at = help.text; *at; at++) {
		bool is_escape = *at == '\\';

		if (!is_escape || at[1] != '"' || format == FORMAT_OPENMETRICS)
			strbuf__addc(text, *at);
		if (is_escape)
			strbuf__addc(text, *++at);
	}
	strbuf__addc(text, '\n');
	if (strbuf__failed(&help))
		text->failed = true;
	strbuf__free(&help);
}

static void add_head(const struct metric_family *family, enum metric_format format,
		     struct strbuf *text)
{
	bool is_open = format == FORMAT_OPENMETRICS;
	const char *suffix = is_open ? "" : suffix_of(family, PART_VALUE);
	const char *type =
		type_names[!is_open && family->type == METRIC_INFO ? METRIC_GAUGE : family->type];

	add_help(family, format, suffix, text);
	add_comment("TYPE", family->name, suffix, type, text);
	if (is_open && *family->unit)
		add_comment("UNIT", family->name, suffix, family->unit, text);
}

static void add_value(const struct metric_family *family, const struct metric_sample *sample,
		      struct strbuf *text)
{
	if (sample->part == PART_BUCKET || sample->part == PART_COUNT ||
	    family->value == VALUE_COUNT)
		add_count(text, sample->count);
	else if (family->value == VALUE_NS)
		add_seconds(text, sample->count);
	else
		add_number(text, sample->number);
}

/*
 * Adds the label `le`, which is the upper bound of a histogram's bucket. @labels are the other
 * labels, which are already in @text. The bound is written with a decimal point or an exponent, as
 * OpenMetrics requires.
 */
static void add_le(const char *labels, double le, struct strbuf *text)
{
	size_t before;

	strbuf__adds(text, *labels ? ",le=\"" : "le=\"");
	before = text->len;
	add_number(text, le);
	if (!isinf(le) && !strpbrk(text->text + before, ".e"))
		strbuf__adds(text, ".0");
	strbuf__addc(text, '"');
}

static void add_sample(const struct metric_family *family, const struct metric_sample *sample,
		       const char *name, size_t len, struct strbuf *text)
{
	strbuf__add(text, name, len);
	if (sample->part != PART_VALUE)
		strbuf__adds(text, suffix_of(family, sample->part));
	if (*sample->labels || sample->part == PART_BUCKET) {
		strbuf__addc(text, '{');
		strbuf__adds(text, sample->labels);
		if (sample->part == PART_BUCKET)
			add_le(sample->labels, sample->le, text);
		strbuf__addc(text, '}');
	}
	strbuf__addc(text, ' ');
	add_value(family, sample, text);
	strbuf__addc(text, '\n');
}

static void add_family(const struct metric_page *page, const struct metric_family *family,
		       enum metric_format format, struct strbuf *text)
{
	struct strbuf name = STRBUF_INIT;

	add_head(family, format, text);
	strbuf__addf(&name, "%s%s", family->name, suffix_of(family, PART_VALUE));
	for (int i = 0; i < family->nr; i++)
		add_sample(family, &page->samples[family->first + i], name.text, name.len, text);
	if (strbuf__failed(&name))
		text->failed = true;
	strbuf__free(&name);
}

void openmetrics__add(const struct metric_page *page, enum metric_format format,
		      struct strbuf *text)
{
	for (int i = 0; i < page->nr_families; i++)
		if (page->families[i].nr)
			add_family(page, &page->families[i], format, text);
	if (format == FORMAT_OPENMETRICS)
		strbuf__adds(text, "# EOF\n");
}
