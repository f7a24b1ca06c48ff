/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains an errno of perf_event_open(2) to the user. */
#ifndef PSTAT_COUNT_OPEN_ERROR_H
#define PSTAT_COUNT_OPEN_ERROR_H

#include <stdbool.h>

struct event_place;
struct evsel;
struct strbuf;

/*
 * Returns whether @err (-errno) concerns only the event, so that pstat marks it as unsupported.
 * Other errors end the count.
 */
bool open_error__is_unsupported(int err);

/*
 * Adds "EVENT on CPU n: what happened (errno: why)\nwhat to do" to @sb. @at says where opening
 * failed.
 */
void open_error__explain(struct strbuf *sb, const struct evsel *evsel, int err,
			 const struct event_place *at);

/* Adds only the reason: "ENOENT: no PMU driver …". */
void open_error__reason(struct strbuf *sb, int err);

/* Adds the text that perf prints if it cannot open the leader of a group because of @err. */
void open_error__explain_like_perf(struct strbuf *sb, const struct evsel *evsel, int err,
				   const struct event_place *at);

#endif
