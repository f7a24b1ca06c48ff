/* SPDX-License-Identifier: GPL-2.0-only */
/* How `pstat profile` shows rows: as a table, as fields between separators, as JSON. */
#ifndef PSTAT_BUILTIN_PROFILE_PRINT_H
#define PSTAT_BUILTIN_PROFILE_PRINT_H

#include <stdbool.h>
#include <stdint.h>

struct profile_notes;
struct profile_options;
struct profile_rows;
struct stack_rows;
struct strbuf;

struct profile_view {
	const struct profile_options *options;
	const struct profile_rows *rows;
	const struct profile_notes *notes; /* NULL without --annotate */
	const struct stack_rows *stacks;   /* NULL with -b */
	bool is_interval;
	uint64_t time_ns; /* of the interval's end */
};

/* Each adds all of the view's text to @sb. */
void profile_print__table(const struct profile_view *view, struct strbuf *sb);
void profile_print__csv(const struct profile_view *view, struct strbuf *sb);
void profile_print__json(const struct profile_view *view, struct strbuf *sb);

/* For the table: the code with the samples of @event beside it; text with a question mark for what could move the cursor. */
void profile_print__notes(const struct profile_view *view, int event, struct strbuf *sb);
void profile_print__plain(const char *text, struct strbuf *sb);

#endif
