/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out for each event of a session whether and why the kernel refuses it. */
#ifndef PSTAT_COUNT_WHY_EVENTS_H
#define PSTAT_COUNT_WHY_EVENTS_H

#include <stdbool.h>

#include "util/count/why/why-search.h"

struct event_open_how;
struct evlist;
struct evsel;
struct stat_config;
struct strbuf;

struct why_event {
	const struct evsel *evsel;
	/*
	 * the number of tasks or CPUs that were tried; 0: pstat itself determines the value, or
	 * there are none (WHY_NO_CPU)
	 */
	int nr_places;
	struct why_trial trial; /* the first attempt that was refused; if none was, the last one */
	/*
	 * the event can be opened only for user space, because this user may not count events in
	 * the kernel
	 */
	bool user_only;
	struct why_answer answer;
};

struct why_events_to {
	void *ctx;
	/* how the events are opened if they are sampled; NULL: they are counted */
	const struct event_open_how *sampling;
	/*
	 * Called when an event was refused, while the other events of its group are still open, so
	 * the attempt can be repeated.
	 */
	void (*refused)(void *ctx, const struct why_event *event);
	/* Called once for each event, when its result is known. Returns 0, or -errno to stop. */
	int (*found)(void *ctx, const struct why_event *event);
};

/*
 * Calls @to->found for each event of @evlist, in this order. The events of a group are opened
 * together. An event is tried for each task and CPU that a session with @cfg would count, until it
 * is refused for one of them. All events are closed immediately. Returns 0, the error of
 * @to->found, or -errno with the reason in @why.
 */
int why_events__each(const struct evlist *evlist, const struct stat_config *cfg,
		     const struct why_events_to *to, struct strbuf *why);

#endif
