/* SPDX-License-Identifier: GPL-2.0-only */
/* Fractions as text that programs read: a point under every locale, no grouping, and never nan or inf. */
#ifndef PSTAT_BASE_DECIMAL_H
#define PSTAT_BASE_DECIMAL_H

#include <stddef.h>

struct strbuf;

/* Adds @value rounded to @decimals (0 to 20) places, as printf's %.*f does in the C locale; 0 when it is not finite. */
void decimal__add(struct strbuf *sb, double value, int decimals);

/*
 * The number that the first @len characters of @text are, as strtod reads them in the C locale whatever locale is set; NaN when
 * they are not one number, or longer than 300 characters; infinite when no double holds it.
 */
double decimal__parse(const char *text, size_t len);

#endif
