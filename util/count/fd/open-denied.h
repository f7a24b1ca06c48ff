/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a user may not open an event (EACCES, EPERM), and what would help: perf_event_paranoid, or
 * the task's owner.
 */
#ifndef PSTAT_COUNT_OPEN_DENIED_H
#define PSTAT_COUNT_OPEN_DENIED_H

struct event_place;
struct evsel;
struct strbuf;

/* Adds "not allowed for this user: kernel.perf_event_paranoid is 2" to @sb. */
void open_denied__why(struct strbuf *sb);

/* Adds what the user can do to count @evsel at @at. */
void open_denied__advice(struct strbuf *sb, const struct evsel *evsel,
			 const struct event_place *at);

#endif
