/* SPDX-License-Identifier: GPL-2.0-only */
/* Between profile-data.c and profile-data-notes.c: how lines for programs begin, and what they are made of. */
#ifndef PSTAT_BUILTIN_PROFILE_DATA_H
#define PSTAT_BUILTIN_PROFILE_DATA_H

#include <stdint.h>

struct json_writer;
struct profile_view;
struct strbuf;

/* [time] kind, event */
void profile_data__line(const struct profile_view *view, const char *kind, int event, struct strbuf *sb);
/* The separator and a field, in quotes, its own quotes doubled, where a reader could mistake it for several (RFC 4180). */
void profile_data__field(const struct profile_view *view, const char *field, struct strbuf *sb);
void profile_data__number(const struct profile_view *view, uint64_t number, struct strbuf *sb);

/* An object with the same at its beginning; the caller ends it. */
void profile_data__object(const struct profile_view *view, const char *kind, int event, struct json_writer *w,
			  struct strbuf *sb);

/* The lines of --annotate; none without. */
void profile_data__csv_notes(const struct profile_view *view, struct strbuf *sb);
void profile_data__json_notes(const struct profile_view *view, struct strbuf *sb);

#endif
