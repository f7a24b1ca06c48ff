/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_CSV_FIELD_H
#define PSTAT_BASE_CSV_FIELD_H

struct strbuf;

/*
 * Adds a field between separators @sep. A field that a reader could mistake for several is put in quotes, and its own quotes are doubled
 * (RFC 4180). Control characters become '?', except newlines and tabs.
 */
void csv_field__add(struct strbuf *sb, const char *field, const char *sep);

#endif
