/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is shown at once: of an interval or of the whole. Its ways to bytes:
 *
 *	profile-print.c		the table, with profile-stacks-print.c (functions by stacks) and profile-annotate.c (code)
 *	profile-folded.c	stacks for flame graphs
 *	profile-data.c		fields (-x) and JSON, with profile-data-stacks.c and profile-data-notes.c, made of profile-fields.c
 *
 * Each adds text to a strbuf, whose failure the caller looks for.
 */
#ifndef PSTAT_BUILTIN_PROFILE_VIEW_H
#define PSTAT_BUILTIN_PROFILE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct profile_notes;
struct profile_options;
struct profile_rows;
struct stack_rows;

struct profile_view {
	const struct profile_options *options;
	const struct profile_rows *rows;
	const struct profile_notes *notes; /* NULL without --annotate */
	const struct stack_rows *stacks;   /* NULL with -b */
	bool is_interval;
	uint64_t time_ns; /* of the interval's end */
};

#endif
