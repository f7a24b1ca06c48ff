/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's configuration: /etc/perfconfig and ~/.perfconfig, in git's syntax. Source:
 * tools/perf/util/config.c of Linux 6.12.
 *
 *	# a comment
 *	[stat]
 *		big-num = false
 *		bpf-counter-events = "cycles,instructions"	; to the end of the line
 *
 * The names of sections and settings are converted to lower case; the sub of a [section "sub"]
 * keeps its case. A value is the rest of the line without a comment. White space around it is
 * removed, and white space inside it is replaced by one space, except in quotes. \\ \" \n \t \b
 * have the same meaning as in C. A backslash at the end of a line joins the next line to it.
 */
#ifndef PSTAT_BASE_PERF_CONFIG_H
#define PSTAT_BASE_PERF_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

#define PERF_CONFIG_SYSTEM "/etc/perfconfig"

/* A setting. The strings are valid only during the callback. */
struct perf_config_item {
	const char *name; /* "stat.big-num", "section.sub.name" */
	const char *value;
	const char *file;
	int line; /* line of the name, from 1 */
};

typedef void (*perf_config_fn)(void *data, const struct perf_config_item *item);

/*
 * Calls @take for each setting in the @len bytes of @text, in order. Messages call it @file.
 * Returns 0; -EINVAL if a line cannot be parsed, with "FILE:LINE: reason" in @why, after calling
 * @take for all settings before it; -ENOMEM.
 */
int perf_config__parse(const char *file, const char *text, size_t len, perf_config_fn take,
		       void *data, struct strbuf *why);

/*
 * Reads the files that apply to this process. Later settings override earlier ones. If the
 * environment variable PERF_CONFIG is set, only the file that it names is read, or none if it is
 * empty. Otherwise, @system_file is read, and then $HOME/.perfconfig, which must belong to this
 * user or to root. If PERF_CONFIG_NOSYSTEM or PERF_CONFIG_NOGLOBAL is true, the respective file is
 * not read. If a file cannot be read, pstat warns and continues. A missing file is reported only if
 * PERF_CONFIG names it.
 */
void perf_config__read(const char *system_file, perf_config_fn take, void *data);

/*
 * Parses a boolean: true, yes, on or a number other than 0; or false, no, off, 0 or an empty
 * string. Returns 0, or -EINVAL for any other text.
 */
int perf_config__bool(const char *value, bool *is_true);

/*
 * Returns whether @name is an entry in the comma-separated @list. Spaces around commas are ignored.
 * @name itself may contain a comma.
 */
bool perf_config__lists(const char *list, const char *name);

#endif
