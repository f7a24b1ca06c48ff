// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/decimal.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"

#define DECIMALS_MAX 20
#define NUMBER_MAX 300

static void add_fraction(struct strbuf *sb, double value, int decimals)
{
	/* in some locales, the decimal point consists of several bytes */
	char text[DBL_MAX_10_EXP + DECIMALS_MAX + 16];
	const char *point = localeconv()->decimal_point, *at;

	if (decimals > DECIMALS_MAX)
		decimals = DECIMALS_MAX;
	snprintf(text, sizeof(text), "%.*f", decimals, isfinite(value) ? value : 0.0);
	at = *point ? strstr(text, point) : NULL;
	if (!at || !strcmp(point, ".")) {
		strbuf__adds(sb, text);
		return;
	}
	strbuf__add(sb, text, (size_t)(at - text));
	strbuf__addc(sb, '.');
	strbuf__adds(sb, at + strlen(point));
}

size_t decimal__digits(double value, char digits[DECIMAL_DIGITS_MAX])
{
	size_t begin = DECIMAL_DIGITS_MAX;
	uint64_t rest;

	/* -0.0 has a sign, which only printf() adds */
	if (!(value < 1e15) || signbit(value))
		return 0;
	rest = (uint64_t)value;
	if ((double)rest != value)
		return 0;
	do {
		digits[--begin] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	memmove(digits, digits + begin, DECIMAL_DIGITS_MAX - begin);
	return DECIMAL_DIGITS_MAX - begin;
}

void decimal__add(struct strbuf *sb, double value, int decimals)
{
	char digits[DECIMAL_DIGITS_MAX];
	size_t nr = decimals ? 0 : decimal__digits(value, digits);

	if (nr)
		strbuf__add(sb, digits, nr);
	else
		add_fraction(sb, value, decimals);
}

double decimal__parse(const char *text, size_t len)
{
	char copy[NUMBER_MAX + 1], *end;
	locale_t c_locale, before;
	double value;

	if (!len || len > NUMBER_MAX)
		return NAN;
	memcpy(copy, text, len);
	copy[len] = '\0';
	c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	before = uselocale(c_locale);
	value = strtod(copy, &end);
	uselocale(before);
	if (c_locale)
		freelocale(c_locale);
	return *end || end == copy ? NAN : value;
}
