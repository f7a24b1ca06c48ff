/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a session; private to session*.c and control-evlist.c. */
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
	/* the sink that backends use; it passes individual runs to `sink` */
	struct session_sink runs;
	bool sink_failed; /* the sink failed and has printed the reason */
	/*
	 * the reason for an error, and the text that perf prints for this error; printed when a
	 * function of session.h fails
	 */
	struct strbuf why, perf_words;
	bool more_runs; /* another repetition follows */
	bool was_enabled;
	/* with --stop: the number of times that the gate (gate.h) had closed at the last check */
	uint32_t stops;
	/* with --start or --stop: the interval timer was running at the last check */
	bool ticks;
	uint64_t intervals;
	bool ended_by_signal;
	/* a signal arrived in this repetition, even if the signal did not end the count */
	bool was_signalled;
	bool complete; /* the final interval has been reported */
};

/* ---- session.c: all return 0 or -errno ---- */

int session__enable(struct session *s);
/* Ends the delay of -D: enables the events and starts to measure the time. */
int session__end_delay(struct session *s);

/* ---- session-readings.c: readings for the sink; all return 0 or -errno ---- */

/* Reads the counts, and updates the times of the measurement. */
int session__take_reading(struct session *s);
/* Passes the interval that ends with the latest reading to the sink. */
int session__hand_over(struct session *s);
/* Ends an interval: reads all counts and passes them to the sink. */
int session__serve_interval(struct session *s);
/* Handles WAKEUP_SINK: reads the counts and passes them to the sink, if the sink wants them. */
int session__serve_sink(struct session *s);
/*
 * Passes one run to the session's sink. This is the run() of the sink that the backends use. @ctx
 * is the session.
 */
int session__hand_over_run(void *ctx, const struct outlier *run);

/* ---- session-control.c: --control ---- */

/* Opens the files that --control names. */
int session__open_control(struct session *s);
/* Executes all commands that have arrived. Returns 0, or -errno if counting cannot continue. */
int session__serve_control(struct session *s, struct session_end *end);

/* ---- session-readings.c: --start and --stop ---- */

/* Returns the total time in ns that threads have spent between the points of --start and --stop. */
uint64_t session__gate_time(const struct session *s);
/*
 * Called when the gate (gate.h) may have opened or closed. With -I, an interval ends when the gate
 * closes, and the interval timer starts again when the gate opens. Sets *@ended to whether the gate
 * closed, so that the caller has to report an interval.
 */
int session__follow_gate(struct session *s, bool *ended);
/*
 * Called when the session has closed the gate by disabling the events. The caller itself reports
 * the interval that ends at that moment. Makes the next session__follow_gate() ignore this closing.
 */
void session__note_stop(struct session *s);
/*
 * Returns whether pstat has counted since the last reading. With --start or --stop, returns false
 * if the gate has been closed all the time since the last reading.
 */
bool session__has_counted(const struct session *s);
/*
 * Called after the last reading. Returns whether an interval has to be reported for this reading.
 * With --start or --stop, returns false if the gate was open earlier, but has been closed all the
 * time since the previous reading.
 */
bool session__has_open_interval(const struct session *s);

/* ---- session-close.c ---- */

/*
 * Closes the events that last_close__put() has kept open. If there are more than a few, a child
 * process closes them, and this function waits for the child. The caller must have flushed all
 * output. Returns 0 if all events are closed. If a signal arrives, returns the number of the
 * signal, and the child closes the remaining events. If @wait is false, returns 0 without waiting
 * for the child.
 *
 * If the wait takes longer than a second, prints a message that explains it. The level of the
 * message is @level, or warning if stderr is a terminal.
 */
int session_close(struct wakeups *wakeups, bool wait, enum log_level level);

/* ---- control-evlist.c: the command evlist of --control ---- */

/*
 * Prints the events in perf's format. @option is NULL, "-v" (also print the nonzero fields of the
 * attrs), "-g" (print groups), or "-F" (print the sampling frequency).
 */
void control_evlist__answer(const struct evlist *evlist, const struct stat_config *cfg,
			    const char *option);

#endif
