/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_CSV_FIELD_H
#define PSTAT_BASE_CSV_FIELD_H

struct strbuf;

/* A field between separators @sep: one that a reader could mistake for several is put in quotes, its own quotes doubled (RFC 4180). */
void csv_field__add(struct strbuf *sb, const char *field, const char *sep);

#endif
