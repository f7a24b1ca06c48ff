/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_CSV_FIELD_H
#define PSTAT_BASE_CSV_FIELD_H

struct strbuf;

/*
 * Adds @field, without a separator, to a line whose fields are separated by @sep. If the field
 * contains @sep, a quote or a newline, encloses the field in quotes, and doubles the quotes inside
 * (RFC 4180). Control characters other than newline and tab become '?'.
 */
void csv_field__add(struct strbuf *sb, const char *field, const char *sep);

#endif
