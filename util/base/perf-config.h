/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's configuration: /etc/perfconfig and ~/.perfconfig, in git's syntax. Facts: tools/perf/util/config.c of Linux 6.12.
 *
 *	# a comment
 *	[stat]
 *		big-num = false
 *		bpf-counter-events = "cycles,instructions"	; to the end of the line
 *
 * Names of sections and settings are in lower case here, however they were written; a [section "sub"] keeps the case of sub. A value is
 * the rest of the line without a comment: white space around it is cut and becomes one space within it, but for what stands in
 * quotes; \\ \" \n \t \b are the characters that they are in C; a backslash at the end joins the next line.
 */
#ifndef PSTAT_BASE_PERF_CONFIG_H
#define PSTAT_BASE_PERF_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

#define PERF_CONFIG_SYSTEM "/etc/perfconfig"

/* A setting as it is read; the strings live as long as the call does. */
struct perf_config_item {
	const char *name; /* "stat.big-num", "section.sub.name" */
	const char *value;
	const char *file;
	int line; /* where the name stands, from 1 */
};

typedef void (*perf_config_fn)(void *data, const struct perf_config_item *item);

/*
 * Calls @take for each setting in the @len bytes of @text, in their order; @file is for messages.
 * 0; -EINVAL where a line cannot be read, with "FILE:LINE: the reason" in @why, and what stood before it was taken; -ENOMEM.
 */
int perf_config__parse(const char *file, const char *text, size_t len, perf_config_fn take, void *data,
		       struct strbuf *why);

/*
 * Reads the files that count for this process, a later setting being stronger: the one that the environment's PERF_CONFIG names and no
 * other (none when that is empty), or else @system_file and then $HOME/.perfconfig, which must be this user's or root's.
 * PERF_CONFIG_NOSYSTEM and PERF_CONFIG_NOGLOBAL, when true, leave out either. What cannot be read is warned of and passed over; that
 * there is no such file is usual, unless it was named.
 */
void perf_config__read(const char *system_file, perf_config_fn take, void *data);

/* true, yes, on or a number but 0; false, no, off, 0 or nothing. -EINVAL when it is neither. */
int perf_config__bool(const char *value, bool *is_true);

/* Does @name stand, whole, in the @list that commas divide? Spaces around a comma are none of a name; a comma may be. */
bool perf_config__lists(const char *list, const char *name);

#endif
