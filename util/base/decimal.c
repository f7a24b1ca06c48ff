// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/decimal.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"

#define DECIMALS_MAX 20
#define NUMBER_MAX 300

void decimal__add(struct strbuf *sb, double value, int decimals)
{
	/* the locale's decimal point may have several bytes */
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
