/* SPDX-License-Identifier: GPL-2.0-only */
/* The definition of struct session. Private to session*.c and control-evlist.c. */
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

	/* the state of the current repetition: */
	struct session_command command;
	const struct session_sink *sink;
	/* the sink for the backends; passes outliers (outliers.h) on to `sink` */
	struct session_sink runs;
	bool sink_failed; /* a function of the sink failed and has printed the reason */
	/*
	 * `why` is the reason for an error; `perf_words` is perf's text for this error, if there is
	 * one. A function of session.h that fails prints both
	 */
	struct strbuf why, perf_words;
	bool more_runs; /* another repetition follows */
	bool was_enabled;
	/*
	 * if -I is combined with --start or --stop: the value of gate.closed (bpf_skel/gate.h) at
	 * the last call of session__follow_gate() or session__note_stop()
	 */
	uint32_t stops;
	/* if -I is combined with --start or --stop: the interval timer is running */
	bool ticks;
	uint64_t intervals;
	bool ended_by_signal;
	/* a signal arrived in this repetition, whether or not it ended the repetition */
	bool was_signalled;
	bool complete; /* the final interval has been reported */
};

/* ---- session.c: all return 0 or -errno ---- */

int session__enable(struct session *s);
/* Ends the delay of -D: enables the events, starts measuring the time, and starts the timers. */
int session__end_delay(struct session *s);

/* ---- session-readings.c: readings for the sink; all return 0 or -errno ---- */

/* Reads the counts, and updates the times of the measurement. */
int session__take_reading(struct session *s);
/* Passes to the sink the interval that ended at the latest reading. */
int session__hand_over(struct session *s);
/* Ends an interval: reads all counts and passes them to the sink. */
int session__serve_interval(struct session *s);
/* Handles WAKEUP_SINK: if the sink wants the counts, reads them and passes them to the sink. */
int session__serve_sink(struct session *s);
/*
 * Passes one outlier to the session's sink. Backends call this function through session.runs. @ctx
 * is the session.
 */
int session__hand_over_run(void *ctx, const struct outlier *run);

/* ---- session-control.c: --control ---- */

/* Opens the files that --control names. Returns 0 or -errno. */
int session__open_control(struct session *s);
/* Executes all commands that have arrived. Returns 0, or -errno if pstat cannot continue. */
int session__serve_control(struct session *s, struct session_end *end);

/* ---- session-readings.c: --start and --stop ---- */

/* Returns the total time in ns for which the gate (gate.h) has been open, or 0 without a gate. */
uint64_t session__gate_time(const struct session *s);
/*
 * Called when the gate may have opened or closed. With -I, an interval ends when the gate closes,
 * and the interval timer runs only while the gate is open. Sets *@ended to whether an interval has
 * ended; if so, the caller must report it. Returns 0 or -errno.
 */
int session__follow_gate(struct session *s, bool *ended);
/*
 * Called after the session has disabled the events. With --start or --stop, disabling them has also
 * closed the gate. Stops the interval timer, and makes the next call of session__follow_gate()
 * ignore this closing of the gate, because the caller itself reports the interval. Without these
 * options, does nothing.
 */
void session__note_stop(struct session *s);
/*
 * With --start or --stop, returns whether the gate has been open at any time since the last
 * reading. Without these options, returns true.
 */
bool session__has_counted(const struct session *s);
/*
 * Called after the final reading of a repetition. Returns whether an interval has to be reported
 * for this reading. With --start or --stop, returns true if the gate has been open at any time
 * since the previous reading, or if it has never been open in this repetition. Without these
 * options, always returns true.
 */
bool session__has_open_interval(const struct session *s);

/* ---- session-close.c ---- */

/*
 * Closes the events that last_close__put() has kept open. If there are more than a few such events,
 * a child process closes them, and this function waits for the child. The caller must have written
 * all buffered output. Returns 0 when the events are closed. If a signal ends the wait, returns the
 * number of the signal, and the child continues to close events. If @wait is false, does not wait,
 * and returns 0.
 *
 * If the wait takes longer than a second, prints a message that explains the wait. The log level of
 * the message is @level, or LOG_WARNING if stderr is a terminal.
 */
int session_close(struct wakeups *wakeups, bool wait, enum log_level level);

/* ---- control-evlist.c: the command evlist of --control ---- */

/*
 * Prints the events in perf's format. @option is NULL, "-v" (also print the nonzero fields of each
 * event's perf_event_attr), "-g" (print groups), or "-F" (print the sampling frequency).
 */
void control_evlist__answer(const struct evlist *evlist, const struct stat_config *cfg,
			    const char *option);

#endif
