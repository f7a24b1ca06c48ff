/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads perf's configuration: /etc/perfconfig and ~/.perfconfig, in git's syntax. The rules come
 * from tools/perf/util/config.c of Linux 6.12.
 *
 *	# a comment
 *	[stat]
 *		big-num = false
 *		bpf-counter-events = "cycles,instructions"	; a comment, too
 *
 * The names of sections and settings are converted to lower case, except "sub" in [section "sub"].
 * A value is the rest of the line after the equals sign, without a comment. Outside quotes, white
 * space around a value is removed, and each sequence of white space inside the value is replaced by
 * one space. \\ \" \n \t \b have the same meaning as in C. A backslash at the end of a line joins
 * the next line to this line.
 */
#ifndef PSTAT_BASE_PERF_CONFIG_H
#define PSTAT_BASE_PERF_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

#define PERF_CONFIG_SYSTEM "/etc/perfconfig"

/* A setting. The strings are valid only during the callback. */
struct perf_config_item {
	const char *name; /* for example "stat.big-num" or "section.sub.name" */
	const char *value;
	const char *file;
	int line; /* line number of the name, counted from 1 */
};

typedef void (*perf_config_fn)(void *data, const struct perf_config_item *item);

/*
 * Calls @take for each setting in the @len bytes of @text, in order. @file is the name of the file
 * in messages. Stops at a line that cannot be parsed. Returns 0, -ENOMEM, or -EINVAL with
 * "FILE:LINE: reason" in @why.
 */
int perf_config__parse(const char *file, const char *text, size_t len, perf_config_fn take,
		       void *data, struct strbuf *why);

/*
 * Reads the files that apply to this process. @take must let later settings override earlier
 * settings. If the environment variable PERF_CONFIG is set, reads only the file that PERF_CONFIG
 * names, or no file if PERF_CONFIG is empty. Otherwise, reads @system_file unless
 * PERF_CONFIG_NOSYSTEM is true, and then $HOME/.perfconfig unless PERF_CONFIG_NOGLOBAL is true.
 * $HOME/.perfconfig is refused if it belongs neither to this user nor to root. If a file is refused
 * or cannot be read or parsed, logs the reason and continues. A missing file is ignored unless
 * PERF_CONFIG names it.
 */
void perf_config__read(const char *system_file, perf_config_fn take, void *data);

/*
 * Parses a boolean: true, yes, on or a number other than 0; or false, no, off, 0 or an empty
 * string. Returns 0, or -EINVAL for any other text.
 */
int perf_config__bool(const char *value, bool *is_true);

/*
 * Returns whether @name is an entry in the comma-separated @list. White space around entries is
 * ignored. @name itself may contain a comma.
 */
bool perf_config__lists(const char *list, const char *name);

#endif
