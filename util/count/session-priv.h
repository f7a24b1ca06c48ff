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
struct outlier;
struct stat_config;
struct wakeups;

struct session {
	const struct evlist *evlist;
	const struct stat_config *cfg;
	struct groups *groups;
	struct measurement *measurement; /* owned by the groups */
	struct wakeups *wakeups;
	struct control *control; /* NULL without --control */

	/* for one repetition: */
	struct session_command command;
	const struct session_sink *sink;
	struct session_sink runs; /* passes single runs to the sink */
	bool sink_failed;	  /* the sink failed and has printed the reason */
	/*
	 * the reason for an error, and the text that perf prints for it: printed once, when a call
	 * of the session fails
	 */
	struct strbuf why, perf_words;
	bool more_runs; /* another repetition follows */
	bool was_enabled;
	uint32_t stops; /* with --stop: how often the gate had been closed at the last check */
	/*
	 * with --start: at the last check, the gate was open and the timer of the intervals was
	 * running
	 */
	bool ticks;
	uint64_t intervals;
	bool ended_by_signal;
	bool was_signalled; /* a signal arrived, even if it did not end the session */
	bool complete;	    /* the final interval has been reported */
};

/* ---- session.c: all return 0 or -errno ---- */

int session__enable(struct session *s);
/* Ends the delay of -D early: enables the events and starts the time. */
int session__end_delay(struct session *s);

/* ---- session-readings.c: readings for the sink; all return 0 or -errno ---- */

/* Reads the counts, and updates the times of the measurement. */
int session__take_reading(struct session *s);
/* Reports the interval that the latest reading ends. */
int session__hand_over(struct session *s);
/* Ends an interval now: reads all counts and reports them. */
int session__serve_interval(struct session *s);
/* Passes the current counts to a sink that others wait for, if it needs them. */
int session__serve_sink(struct session *s);
/* For backends, as struct session_sink: passes a run on to the sink. @ctx is the session. */
int session__hand_over_run(void *ctx, const struct outlier *run);

/* ---- session-control.c: --control ---- */

/* Opens what --control names. */
int session__open_control(struct session *s);
/* Executes all commands that have arrived. Returns 0, or -errno if counting cannot continue. */
int session__serve_control(struct session *s, struct session_end *end);

/* ---- session-readings.c: --start and --stop ---- */

/* Returns the time in ns between the points of --start and --stop until now. */
uint64_t session__gate_time(const struct session *s);
/*
 * Call this when a point may have opened or closed the gate. With -I, a stop ends the interval, and
 * a start restarts the timer of the intervals. Sets *@ended if a stop ended an interval; the caller
 * then reports this interval.
 */
int session__follow_gate(struct session *s, bool *ended);
/*
 * Call this after disabling the events, which also closes the gate. The caller reports the
 * interval, so session__follow_gate() does not report it again.
 */
void session__note_stop(struct session *s);
/*
 * Returns whether pstat has counted since the last reading. A stop and the end of an interval can
 * coincide.
 */
bool session__has_counted(const struct session *s);
/*
 * Returns whether, at the end, there are counts that no interval contains yet. There are none after
 * a stop.
 */
bool session__has_open_interval(const struct session *s);

/* ---- session-close.c ---- */

/*
 * Closes the events that last-close.h has kept. The caller has flushed all output. If this takes
 * more than a second, a message of @level explains the wait; if stderr is a terminal, it is a
 * warning. Returns 0 once the events are closed, or the number of the signal that ended the wait; a
 * child process then closes the other events. If @wait is false, returns 0 immediately and the
 * child closes all events.
 */
int session_close(struct wakeups *wakeups, bool wait, enum log_level level);

/* ---- control-evlist.c: the command evlist of --control ---- */

/*
 * Prints the events in perf's format. @option is -v for the fields of their attrs that are not 0,
 * -g for groups, or -F for the sample frequency.
 */
void control_evlist__answer(const struct evlist *evlist, const struct stat_config *cfg,
			    const char *option);

#endif
