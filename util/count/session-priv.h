/* SPDX-License-Identifier: GPL-2.0-only */
/* What session.c and session-control.c know of a session, and nobody else. */
#ifndef PSTAT_COUNT_SESSION_PRIV_H
#define PSTAT_COUNT_SESSION_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/session-command.h"
#include "util/count/session.h"

struct session {
	const struct evlist *evlist;
	const struct stat_config *cfg;
	struct groups *groups;
	struct wakeups *wakeups;
	struct control *control; /* NULL without */

	/* of the run: */
	struct session_command command;
	session_interval_fn interval;
	void *ctx;
	outlier_fn outlier;
	void *outlier_ctx;
	bool more_runs; /* follow this one */
	bool was_enabled;
	uint64_t start_ns; /* of its time */
	uint64_t last_ns;  /* end of the last interval, since start */
	uint64_t intervals;
	bool ended_by_signal;
	bool was_signalled; /* a signal arrived, whether or not it ended the session */
	bool complete;	    /* the last interval that was told is the last there is */
};

/* ---- session.c: all return 0 or -errno ---- */

int session__enable(struct session *s);
/* Enables the events before the delay of -D is over, and starts the time. */
int session__end_delay(struct session *s);
/* Ends an interval now: reads all counts and hands them on. */
int session__serve_interval(struct session *s);

/* ---- session-control.c: --control ---- */

/* Opens what --control names, if it was given. Returns 0, or -errno after logging the reason. */
int session__open_control(struct session *s);
/* Carries out all commands that have arrived. Returns 0, or -errno if counting cannot go on. */
int session__serve_control(struct session *s, struct session_end *end);

#endif
