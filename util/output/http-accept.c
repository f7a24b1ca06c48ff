// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/http-accept.h"

#include <string.h>
#include <strings.h>

/*
 * The weight q=1. This file stores weights in thousandths, because RFC 9110 allows three digits
 * after the decimal point.
 */
#define FULL_WEIGHT 1000

static const struct format {
	const char *type, *version;
} formats[METRIC_FORMAT_NR] = {
	[FORMAT_OPENMETRICS] = { "application/openmetrics-text", "1.0.0" },
	[FORMAT_PROMETHEUS_TEXT] = { "text/plain", "0.0.4" },
};

/* A part of a header's value, without spaces at its beginning and end. */
struct part {
	const char *text;
	size_t len;
};

static struct part trim(const char *text, size_t len)
{
	while (len && (text[0] == ' ' || text[0] == '\t')) {
		text++;
		len--;
	}
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	return (struct part){ text, len };
}

/*
 * Removes from *@rest the text up to and including the next @separator, or all text if there is no
 * separator. Returns the removed text without the separator, and without spaces at its beginning
 * and end.
 */
static struct part next_part(struct part *rest, char separator)
{
	const char *end = memchr(rest->text, separator, rest->len);
	size_t len = end ? (size_t)(end - rest->text) : rest->len, used = end ? len + 1 : len;
	struct part part = trim(rest->text, len);

	rest->text += used;
	rest->len -= used;
	return part;
}

static bool is_word(struct part part, const char *word)
{
	return part.len == strlen(word) && !strncasecmp(part.text, word, part.len);
}

/* Returns a weight in thousandths, or 0 if @text is malformed. Reads at most three decimals. */
static int parse_weight(struct part text)
{
	int weight = 0, digit = FULL_WEIGHT;

	for (size_t i = 0; i < text.len && i < strlen("0.000"); i++) {
		if (i == 1) {
			if (text.text[i] != '.')
				return 0;
			continue;
		}
		if (text.text[i] < '0' || text.text[i] > '9')
			return 0;
		weight += (text.text[i] - '0') * digit;
		digit /= 10;
	}
	return weight < FULL_WEIGHT ? weight : FULL_WEIGHT;
}

/* An element of a list such as "application/openmetrics-text, text/plain;version=0.0.4;q=0.3". */
struct element {
	struct part name, version; /* version.text is NULL if there is no version */
	int weight;
};

static struct element next_element(struct part *list)
{
	struct part rest = next_part(list, ',');
	struct element element = { .name = next_part(&rest, ';'), .weight = FULL_WEIGHT };

	while (rest.len) {
		struct part value = next_part(&rest, ';'), name = next_part(&value, '=');

		value = trim(value.text, value.len);
		if (value.len > 1 && value.text[0] == '"' && value.text[value.len - 1] == '"')
			value = (struct part){ value.text + 1, value.len - 2 };
		if (is_word(name, "q"))
			element.weight = parse_weight(value);
		else if (is_word(name, "version"))
			element.version = value;
	}
	return element;
}

/*
 * Returns how specifically @element matches @format, from 1 (all types) to 4 (type and version), or
 * 0 if it does not match.
 */
static int exactness(const struct element *element, const struct format *format)
{
	size_t kind = (size_t)(strchr(format->type, '/') - format->type) + 1; /* "text/" */

	if (is_word(element->name, format->type)) {
		if (element->version.text && !is_word(element->version, format->version))
			return 0;
		return element->version.text ? 4 : 3;
	}
	if (element->name.len == kind + 1 && element->name.text[kind] == '*' &&
	    !strncasecmp(element->name.text, format->type, kind))
		return 2;
	return is_word(element->name, "*/*");
}

static int weight_of(const char *accept, const struct format *format)
{
	struct part list = { accept, strlen(accept) };
	int weight = 0, best = 0;

	while (list.len) {
		struct element element = next_element(&list);
		int exact = exactness(&element, format);

		if (exact > best || (exact && exact == best && element.weight > weight)) {
			weight = element.weight;
			best = exact;
		}
	}
	return weight;
}

enum metric_format http_accept__format(const char *accept)
{
	if (!accept)
		return FORMAT_PROMETHEUS_TEXT;
	return weight_of(accept, &formats[FORMAT_OPENMETRICS]) >
			       weight_of(accept, &formats[FORMAT_PROMETHEUS_TEXT]) ?
		       FORMAT_OPENMETRICS :
		       FORMAT_PROMETHEUS_TEXT;
}

bool http_accept__gzip(const char *encodings)
{
	struct part list = { encodings, encodings ? strlen(encodings) : 0 };
	bool any = false;

	while (list.len) {
		struct element element = next_element(&list);

		if (is_word(element.name, "gzip") || is_word(element.name, "x-gzip"))
			return element.weight;
		if (is_word(element.name, "*"))
			any = element.weight;
	}
	return any;
}
