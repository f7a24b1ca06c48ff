/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A count from open to close, repeated as often as -r asks. The session starts and ends the
 * command, measures the time, reacts to signals and to --control, and hands each interval to a
 * sink. It does not know how counts are shown.
 *
 *	session__run:  open ─► enable ─► wait (interval, enable, …) ─► read ─► disable ─► close
 *	                        (later with -D and --control)
 *
 * What it waits for: wakeups.h, control.h, session-command.h. What counts: groups.h, which gives
 * each event to one of the backends of backend.h. What it hands over: measurement.h.
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

/* How it ended. */
struct session_end {
	const struct measurement *total; /* of all that was counted; NULL: nothing was read */
	uint64_t
		/* timer ticks that came and went before the one before was done */
		missed_intervals;
	int signal;	    /* that ended the count, or 0 */
	bool timed_out;	    /* the time limit ended it */
	bool stopped;	    /* the command "stop" ended it */
	bool never_enabled; /* the delay was not over, or nobody enabled it */
	bool never_started; /* the point of --start was not passed */
	bool no_target;	    /* nothing was counted: a BPF program that was named is not there */
	bool command_ended; /* then: */
	int command_status; /*   as of wait(2) */
	uint64_t user_ns, sys_ns; /*   CPU time of the command and its children */
	struct exec_loss loss;	  /* the part of the command that the kernel did not count */
	int exec_err; /* -errno when the command could not be run: nothing was counted */
};

/*
 * Both must outlive the session, which blocks SIGINT, SIGTERM and SIGHUP as long as it lives.
 * Returns 0, or -errno after printing the reason.
 */
int session__new(const struct evlist *evlist, const struct stat_config *cfg,
		 struct session **session);

/* The measurement of all runs. Before the first one, it has only the subjects that are known. */
const struct measurement *session__measurement(const struct session *session);

/* The signal mask from before, for children. */
const sigset_t *session__signal_mask(const struct session *session);
/* A signal that came while nothing was counted, taken; 0 when none did. */
int session__pending_signal(struct session *session);

/*
 * Runs a whole count, with a command of its own. Returns 0, or -errno after printing the reason;
 * see no_target. end->total stays valid until the next run. A command that cannot be executed is no
 * error of the session: see exec_err. A command that still runs is asked to end if the count
 * failed, or if SIGTERM or SIGHUP ended it.
 */
int session__run(struct session *session, const struct session_sink *sink, struct session_end *end);

/*
 * Whether the run that begins next is followed by others. Then shared counters stay open in
 * between, which otherwise close with the run.
 */
void session__set_more_runs(struct session *session, bool more_runs);

/*
 * Ends the session, after the last run and its output. The kernel may need seconds to close many
 * tracepoints. A message of @level then explains the wait; on a terminal, it is a warning. Returns
 * 0, or the number of a signal that arrived meanwhile and ended the wait.
 */
int session__end(struct session *session, enum log_level level);

/* Closes everything that is still open. NULL is fine. */
void session__free(struct session *session);

#endif
