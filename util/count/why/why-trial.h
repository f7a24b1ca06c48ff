/* SPDX-License-Identifier: GPL-2.0-only */
/* One attempt to open an event. pstat closes the event immediately, and does not count it. */
#ifndef PSTAT_COUNT_WHY_TRIAL_H
#define PSTAT_COUNT_WHY_TRIAL_H

#include "perf-sys.h"
#include "util/count/fd/event-open.h"

struct event_open_how;
struct evsel;
struct stat_config;

/* The arguments of perf_event_open(2). */
struct why_trial {
	union perf_attr attr;
	/* without a modifier G or H, a session changes exclude_guest if that helps */
	bool may_change_guest;
	struct event_place at;
};

/*
 * Sets the attr to that with which a session with @cfg would open the event, if it is not counted
 * through BPF. @sampling: how the events are opened if they are sampled; NULL: they are counted.
 */
void why_trial__fill(struct why_trial *trial, const struct evsel *evsel,
		     const struct stat_config *cfg, const struct event_open_how *sampling);

/* Returns an fd, or -errno. Does not change @trial. */
int why_trial__open(const struct why_trial *trial);
/* Returns 0 if the event can be opened, otherwise -errno. */
int why_trial__try(const struct why_trial *trial);

#endif
