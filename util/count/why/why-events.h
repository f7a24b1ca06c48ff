/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out for each event of a session whether and why the kernel refuses it. */
#ifndef PSTAT_COUNT_WHY_EVENTS_H
#define PSTAT_COUNT_WHY_EVENTS_H

#include <stdbool.h>

#include "util/count/why/why-search.h"

struct evlist;
struct evsel;
struct stat_config;
struct strbuf;

struct why_event {
	const struct evsel *evsel;
	int nr_places; /* tasks or CPUs for which it was tried; 0: pstat itself determines it */
	struct why_trial trial; /* the first attempt that was refused, or else the last one */
	/* it opens, but only for user space, as in a session: this user may not count the kernel */
	bool user_only;
	struct why_answer answer;
};

struct why_events_to {
	void *ctx;
	/*
	 * Called when an event was refused, while the other events of its group are still open.
	 * Then, the attempt can be repeated.
	 */
	void (*refused)(void *ctx, const struct why_event *event);
	/* Called for each event at last. Returns 0, or -errno to stop. */
	int (*found)(void *ctx, const struct why_event *event);
};

/*
 * Calls @to->found for each event of @evlist in its order. The events of a group are opened
 * together. An event is tried for each task and CPU that a session with @cfg would count, up to the
 * first one for which it is refused. Opens nothing for longer than the attempt takes. Returns 0,
 * what @to->found returned, or -errno with the reason in @why.
 */
int why_events__each(const struct evlist *evlist, const struct stat_config *cfg,
		     const struct why_events_to *to, struct strbuf *why);

#endif
