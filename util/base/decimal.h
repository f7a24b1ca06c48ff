/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fractions as text for other programs: with a point in every locale, without grouping, and never
 * nan or inf.
 */
#ifndef PSTAT_BASE_DECIMAL_H
#define PSTAT_BASE_DECIMAL_H

#include <stddef.h>

struct strbuf;

/*
 * Adds @value rounded to @decimals (0 to 20) places, like printf's %.*f in the C locale. A value
 * that is not finite becomes 0.
 */
void decimal__add(struct strbuf *sb, double value, int decimals);

/*
 * Parses the first @len characters of @text like strtod(3) in the C locale, whatever locale is set.
 * Returns NaN if they are not exactly one number, or longer than 300 characters. Returns infinity
 * if the number is too large for a double.
 */
double decimal__parse(const char *text, size_t len);

#endif
