/* SPDX-License-Identifier: GPL-2.0-only */
/* How `pstat profile` shows samples with their stacks. Each adds text to @sb; view.stacks is not NULL. */
#ifndef PSTAT_BUILTIN_PROFILE_STACKS_PRINT_H
#define PSTAT_BUILTIN_PROFILE_STACKS_PRINT_H

struct profile_view;
struct strbuf;

/* For people, of one event: what is not known of its stacks, and lines of columns divided by tabs. */
void profile_stacks_print__losses(const struct profile_view *view, int event, struct strbuf *sb);
void profile_stacks_print__symbols(const struct profile_view *view, int event, struct strbuf *sb);

/* --folded: all of it, for tools. */
void profile_stacks_print__folded(const struct profile_view *view, struct strbuf *sb);

/* For programs: functions or, with --folded, stacks; and a line of what is not known. */
void profile_stacks_print__csv(const struct profile_view *view, struct strbuf *sb);
void profile_stacks_print__json(const struct profile_view *view, struct strbuf *sb);

#endif
