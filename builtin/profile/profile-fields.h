/* SPDX-License-Identifier: GPL-2.0-only */
/* What lines for programs begin with and are made of, as fields between separators and as JSON. */
#ifndef PSTAT_BUILTIN_PROFILE_FIELDS_H
#define PSTAT_BUILTIN_PROFILE_FIELDS_H

#include <stdint.h>

struct json_writer;
struct profile_view;
struct sample_sum;
struct strbuf;

/* [time] kind, event */
void profile_fields__begin(const struct profile_view *view, const char *kind, int event, struct strbuf *sb);
/* The separator and a field, in quotes, its own quotes doubled, where a reader could mistake it for several (RFC 4180). */
void profile_fields__text(const struct profile_view *view, const char *text, struct strbuf *sb);
void profile_fields__number(const struct profile_view *view, uint64_t number, struct strbuf *sb);
void profile_fields__decimal(const struct profile_view *view, double value, struct strbuf *sb);

/* An object with the same at its beginning; the caller ends it. */
void profile_fields__begin_json(const struct profile_view *view, const char *kind, int event, struct json_writer *w,
				struct strbuf *sb);

/* Adds the fields share, samples and weight of @sum. */
void profile_fields__sum(const struct profile_view *view, double share, const struct sample_sum *sum,
			 struct strbuf *sb);
/* Adds the keys share, samples and weight of @sum, or total-share, total-samples and total-weight. */
void profile_fields__json_self(struct json_writer *w, double share, const struct sample_sum *sum);
void profile_fields__json_total(struct json_writer *w, double share, const struct sample_sum *sum);

struct profile_figure {
	const char *name;
	uint64_t value;
};

/* A whole line of @nr figures: an object with -j, else fields. */
void profile_fields__figures(const struct profile_view *view, const char *kind, int event,
			     const struct profile_figure *figures, int nr, struct strbuf *sb);

#endif
