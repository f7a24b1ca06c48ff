/* SPDX-License-Identifier: GPL-2.0-only */
/* What was sampled for programs, as fields between separators or as JSON, line by line. */
#ifndef PSTAT_BUILTIN_PROFILE_DATA_H
#define PSTAT_BUILTIN_PROFILE_DATA_H

struct profile_view;
struct strbuf;

void profile_data__csv(const struct profile_view *view, struct strbuf *sb);
void profile_data__json(const struct profile_view *view, struct strbuf *sb);

/* Their parts: the lines of --annotate, none without; with view.stacks functions or, with --folded, stacks, and what is not known of them. */
void profile_data_notes__csv(const struct profile_view *view, struct strbuf *sb);
void profile_data_notes__json(const struct profile_view *view, struct strbuf *sb);
void profile_data_stacks__csv(const struct profile_view *view, struct strbuf *sb);
void profile_data_stacks__json(const struct profile_view *view, struct strbuf *sb);

#endif
