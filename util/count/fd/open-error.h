/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains an errno of perf_event_open(2) to the user. */
#ifndef PSTAT_COUNT_OPEN_ERROR_H
#define PSTAT_COUNT_OPEN_ERROR_H

#include <stdbool.h>

struct event_place;
struct evsel;
struct strbuf;

/*
 * @err is the -errno from perf_event_open(2). Returns true if pstat should mark the event as
 * unsupported and continue, or false if the error should end the session.
 */
bool open_error__is_unsupported(int err);

/*
 * Adds a message of the form "EVENT on CPU N: what happened (ERRNO: reason)\nadvice" to @sb. @at is
 * the task, CPU or cgroup for which the event could not be opened.
 */
void open_error__explain(struct strbuf *sb, const struct evsel *evsel, int err,
			 const struct event_place *at);

/* Adds only the name of @err and the reason to @sb: "ENOENT: no PMU driver …". */
void open_error__reason(struct strbuf *sb, int err);

/* Adds the text that perf prints if it cannot open the leader of a group because of @err. */
void open_error__explain_like_perf(struct strbuf *sb, const struct evsel *evsel, int err,
				   const struct event_place *at);

#endif
