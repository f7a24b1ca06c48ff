/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains an errno of perf_event_open(2) to the user. */
#ifndef PSTAT_COUNT_OPEN_ERROR_H
#define PSTAT_COUNT_OPEN_ERROR_H

#include <stdbool.h>

struct event_place;
struct evsel;
struct strbuf;

/* Returns whether the negative error @err concerns only this event. If not, counting must end. */
bool open_error__is_unsupported(int err);

/*
 * Adds "EVENT on CPU n: what happened (errno: why)\nwhat to do" to @sb. @at is the place that was
 * tried.
 */
void open_error__explain(struct strbuf *sb, const struct evsel *evsel, int err,
			 const struct event_place *at);

/* Adds only the reason: "ENOENT: no PMU driver …". */
void open_error__reason(struct strbuf *sb, int err);

/*
 * Adds the text that perf prints if it cannot open the leader of a group because of @err. If the
 * leader was opened for a task, @at has no CPU.
 */
void open_error__explain_like_perf(struct strbuf *sb, const struct evsel *evsel, int err,
				   const struct event_place *at);

#endif
