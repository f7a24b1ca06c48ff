/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a session; private to session.c and session-control.c. */
#ifndef PSTAT_COUNT_SESSION_PRIV_H
#define PSTAT_COUNT_SESSION_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/count/measurement.h"
#include "util/count/session-command.h"
#include "util/count/session.h"

struct evlist;
struct stat_config;
struct wakeups;

struct session {
	const struct evlist *evlist;
	const struct stat_config *cfg;
	struct groups *groups;
	struct measurement *measurement; /* the groups' */
	struct wakeups *wakeups;
	struct control *control; /* NULL without */

	/* for one repetition: */
	struct session_command command;
	const struct session_sink *sink;
	struct session_sink runs; /* passes single runs to the sink */
	bool sink_failed;	  /* the sink has printed why */
	/*
	 * why the session fails, and what perf prints in this case: printed once, when a call of
	 * the session fails
	 */
	struct strbuf why, perf_words;
	bool more_runs; /* this is not the last repetition */
	bool was_enabled;
	uint32_t stops; /* with --stop: how often the gate was closed at the last look */
	bool ticks;	/* with --start: the gate was open at the last look, and ticks arrive */
	uint64_t intervals;
	bool ended_by_signal;
	bool was_signalled; /* a signal arrived, whether or not it ended the session */
	bool complete;	    /* the final interval has been reported */
};

/* ---- session.c: all return 0 or -errno ---- */

int session__enable(struct session *s);
/* Enables the events although the delay of -D is not over, and starts the time. */
int session__end_delay(struct session *s);
/* Ends an interval now: reads all counts and reports them. */
int session__serve_interval(struct session *s);

/* ---- session-control.c: --control ---- */

/* Opens what --control names, if it was given. */
int session__open_control(struct session *s);
/* Carries out all commands that have arrived. Returns 0, or -errno if counting cannot go on. */
int session__serve_control(struct session *s, struct session_end *end);

/* ---- session-gate.c: --start and --stop ---- */

/* Starts the time limit, and the ticks unless they start at a point. */
int session__start_timers(struct session *s);
/* For how long pstat has counted until now, in ns. */
uint64_t session__time(const struct session *s);
/*
 * A point may have changed the gate. With -I, a stop ends the interval, and the ticks run from the
 * start. Sets *@ended if the stop ended an interval, which the caller hands over.
 */
int session__follow_gate(struct session *s, bool *ended);
/*
 * The events were disabled, which also closes the gate. The caller ends the interval, so the next
 * point does not.
 */
void session__note_stop(struct session *s);
/* Has pstat counted since the last reading? A stop can come together with a tick. */
bool session__has_counted(const struct session *s);
/* Is there something to hand over at the end, after the last reading? Not after a stop. */
bool session__has_open_interval(const struct session *s);

/* ---- session-close.c ---- */

/*
 * Closes the events that are still open. If that takes more than a second, explains the wait in a
 * message of @level, or in a warning if stderr is a terminal. Returns 0 once the events are closed,
 * or the number of the signal that ended the wait; a child process then closes the rest. If not
 * @wait, returns 0 at once and leaves all events to the child.
 */
int session_close(struct wakeups *wakeups, bool wait, enum log_level level);

/* ---- control-evlist.c: the command evlist of --control ---- */

/*
 * Prints the events in perf's form. @option is -v for the fields of their attrs that are not 0, -g
 * for groups, or -F for the sample frequency.
 */
void control_evlist__answer(const struct evlist *evlist, const struct stat_config *cfg,
			    const char *option);

#endif
