/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A count from open to close, repeated as -r requires. The session starts and ends the command,
 * measures the time, reacts to signals and to --control, and passes the counts of each interval to
 * a sink. It does not know how the counts are printed.
 *
 *	session__run:  open ─► enable ─► wait (interval, enable, …) ─► read ─► disable ─► close
 *	                        (later with -D and --control)
 *
 * See wakeups.h, control.h and session-command.h for what a session waits for, groups.h and
 * backend.h for what counts, and measurement.h for the results.
 */
#ifndef PSTAT_COUNT_SESSION_H
#define PSTAT_COUNT_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/base/log.h"
#include "util/count/exec-loss.h"

struct evlist;
struct measurement;
struct session;
struct session_sink;
struct stat_config;

/* How a repetition ended. */
struct session_end {
	const struct measurement *total; /* everything that was counted; NULL: nothing was read */
	uint64_t
		/* ends of intervals that were missed, because the next one was already due */
		missed_intervals;
	int signal;	    /* the signal that ended the count, or 0 */
	bool timed_out;	    /* the time limit ended it */
	bool stopped;	    /* the command "stop" ended it */
	bool never_enabled; /* the delay was not over, or no command enabled the events */
	bool never_started; /* no thread passed a point of --start */
	/* nothing was counted: a BPF program that the user named does not exist */
	bool no_target;
	/* nothing was counted: the kernel refused events or BPF programs */
	bool is_refused;
	bool command_ended;	  /* if so, the next three members are valid: */
	int command_status;	  /* status of the command as from wait(2) */
	uint64_t user_ns, sys_ns; /* CPU time of the command and its children */
	struct exec_loss loss;	  /* the part of the command that the kernel did not count */
	int exec_err; /* -errno if the command could not be executed; nothing was counted */
};

/*
 * Both arguments must outlive the session. It blocks SIGINT, SIGTERM and SIGHUP until
 * session__free(). Returns 0, or -errno after printing the reason.
 */
int session__new(const struct evlist *evlist, const struct stat_config *cfg,
		 struct session **session);

/*
 * Returns the measurement of all repetitions. Before the first one, it contains only the subjects
 * that are known.
 */
const struct measurement *session__measurement(const struct session *session);

/* Returns the signal mask from before session__new(), for children. */
const sigset_t *session__signal_mask(const struct session *session);
/*
 * Returns a signal that arrived while nothing was counted, and removes it. Returns 0 if there is
 * none.
 */
int session__pending_signal(struct session *session);

/*
 * Runs one repetition, including the command. Returns 0, or -errno after printing the reason,
 * except if end->no_target is set. end->total stays valid until the next repetition. If the command
 * cannot be executed, this is not an error of the session: see exec_err. If the count failed, or if
 * SIGTERM or SIGHUP ended it, sends SIGTERM to a command that is still running.
 */
int session__run(struct session *session, const struct session_sink *sink, struct session_end *end);

/* Sets the command of the next repetitions, which replaces that of the config. */
void session__set_command(struct session *session, char *const *argv);

/*
 * Sets whether other repetitions follow the next one. If so, shared counters stay open after it.
 * Otherwise they are closed with the other events.
 */
void session__set_more_runs(struct session *session, bool more_runs);

/*
 * Ends the session after the last repetition and its output. The kernel may need seconds to close
 * many tracepoints. A message of @level then explains the wait; on a terminal, it is a warning.
 * Returns 0, or the number of a signal that arrived during the wait and ended it.
 */
int session__end(struct session *session, enum log_level level);

/* Closes everything that is still open. NULL is fine. */
void session__free(struct session *session);

#endif
