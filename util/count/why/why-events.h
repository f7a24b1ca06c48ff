/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out for each event of a session whether the kernel refuses the event, and why. */
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
	 * the number of tasks or CPUs for which the event was tried; 0: pstat itself measures the
	 * event (evsel.tool), or the event's PMU covers none of the counted CPUs (WHY_NO_CPU)
	 */
	int nr_places;
	/* the first refused attempt; if no attempt was refused, the last attempt */
	struct why_trial trial;
	/*
	 * the event could be opened only for user space, because this user is not allowed to count
	 * in the kernel
	 */
	bool user_only;
	struct why_answer answer;
};

struct why_events_to {
	void *ctx;
	/* how the events are opened for sampling; NULL: they are counted */
	const struct event_open_how *sampling;
	/*
	 * Called when the kernel has refused an event. The events before it in its group are still
	 * open, so the function can repeat the attempt. event->evsel is not set yet.
	 */
	void (*refused)(void *ctx, const struct why_event *event);
	/* Called for each event when its result is known. Returns 0, or -errno to stop. */
	int (*found)(void *ctx, const struct why_event *event);
};

/*
 * Tries to open each event of @evlist, in the order of the group leaders, and calls @to->found with
 * the result. Opens the events of a group together. Tries an event for each task or CPU that a
 * session with @cfg would count, until the kernel refuses the event for one of them. Tries a
 * tracepoint, or a group that begins with one, only for the first task or CPU. Closes the events of
 * a group before calling @to->found for them. Returns 0; the error that @to->found returned; or
 * another -errno. Stores a reason in @why if the online CPUs cannot be listed.
 */
int why_events__each(const struct evlist *evlist, const struct stat_config *cfg,
		     const struct why_events_to *to, struct strbuf *why);

#endif
