/* SPDX-License-Identifier: GPL-2.0-only */
/* Fractions as text that programs read: a point under every locale, no grouping, and never nan or inf. */
#ifndef PSTAT_BASE_DECIMAL_H
#define PSTAT_BASE_DECIMAL_H

struct strbuf;

/* Adds @value rounded to @decimals (0 to 20) places, as printf's %.*f does in the C locale; 0 when it is not finite. */
void decimal__add(struct strbuf *sb, double value, int decimals);

#endif
