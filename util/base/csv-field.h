/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_CSV_FIELD_H
#define PSTAT_BASE_CSV_FIELD_H

struct strbuf;

/*
 * Adds a field to a line whose separator is @sep. A field that a reader could mistake for several
 * fields is quoted, and its own quotes are doubled (RFC 4180). Control characters other than
 * newline and tab become '?'.
 */
void csv_field__add(struct strbuf *sb, const char *field, const char *sep);

#endif
