/* SPDX-License-Identifier: GPL-2.0-only */
/* Tries to open an event, to find out whether the kernel accepts it. */
#ifndef PSTAT_COUNT_WHY_TRIAL_H
#define PSTAT_COUNT_WHY_TRIAL_H

#include "perf-sys.h"
#include "util/count/fd/event-open.h"

struct event_open_how;
struct evsel;
struct stat_config;

/* An attempt: `attr` and `at` contain the arguments of perf_event_open(2). */
struct why_trial {
	union perf_attr attr;
	/* the event has no modifier G or H, so a session may change exclude_guest */
	bool may_change_guest;
	struct event_place at;
};

/*
 * Sets trial->may_change_guest, and sets trial->attr to the attr with which a session with @cfg
 * opens the event. @sampling describes how to open the event for sampling. If @sampling is NULL,
 * the event is counted.
 */
void why_trial__fill(struct why_trial *trial, const struct evsel *evsel,
		     const struct stat_config *cfg, const struct event_open_how *sampling);

/* Calls perf_event_open(2) once. Returns an fd or -errno. */
int why_trial__open(const struct why_trial *trial);
/*
 * Opens the event and closes it again. If the kernel refuses the event, also tries the other value
 * of exclude_guest, in the cases in which event_open() does so. Returns 0 or -errno.
 */
int why_trial__try(const struct why_trial *trial);

#endif
