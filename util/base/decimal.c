// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/decimal.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/base/strbuf.h"

#define DECIMALS_MAX 20

void decimal__add(struct strbuf *sb, double value, int decimals)
{
	char text[DBL_MAX_10_EXP + DECIMALS_MAX + 16]; /* the locale's point may be some bytes long */
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
