/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session does all the counting for one invocation of pstat, in one or more repetitions (-r). It
 * starts and ends the command, measures the time, and reacts to signals and to --control. At the
 * end of each interval, it passes the counts to a sink (measurement.h), which prints them.
 *
 *	session__run:  open ─► enable ─► wait (interval, enable, …) ─► read ─► disable ─► close
 *	                        (later with -D or --control)
 *
 * wakeups.h, control.h and session-command.h describe what a session waits for. groups.h and
 * backend.h describe how events are counted.
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
	/* the counts of the whole repetition; NULL: there was no final reading */
	const struct measurement *total;
	/*
	 * the number of intervals that were not reported, because pstat was so late that the next
	 * interval was already due
	 */
	uint64_t missed_intervals;
	int signal;	    /* the last signal that arrived, or 0 */
	bool timed_out;	    /* the time limit ended the repetition */
	bool stopped;	    /* the command "stop" of --control ended the repetition */
	bool never_enabled; /* the repetition ended before events were enabled (-D, --control) */
	/*
	 * with --start or --stop: the gate (gate.h) never opened, because the events were never
	 * enabled, or because no thread reached a point of --start
	 */
	bool never_started;
	/* nothing was counted: a BPF program or function that the user selected does not exist */
	bool no_target;
	/*
	 * nothing was counted: the kernel refused events or BPF programs for a reason other than
	 * missing privileges
	 */
	bool is_refused;
	bool command_ended; /* if true, command_status, user_ns and sys_ns are set */
	int command_status; /* status of the command, in the format of wait(2) */
	/* CPU time in ns of the command and its children, in user space and in the kernel */
	uint64_t user_ns, sys_ns;
	struct exec_loss loss; /* whether the kernel failed to count CPU time of the command */
	int exec_err;	       /* 0, or -errno if the command could not be executed */
};

/*
 * Makes a session. @evlist and @cfg must outlive the session. Blocks signals (wakeups__new()) until
 * session__free() is called. Returns 0, or -errno after printing the reason.
 */
int session__new(const struct evlist *evlist, const struct stat_config *cfg,
		 struct session **session);

/*
 * Returns the session's measurement, which each repetition updates. Before the first repetition,
 * the measurement contains only the subjects (subjects.h) that are already known.
 */
const struct measurement *session__measurement(const struct session *session);

/*
 * Returns the signal mask that was set before session__new(). Child processes must use this mask.
 */
const sigset_t *session__signal_mask(const struct session *session);
/*
 * Receives a pending signal that no repetition has handled. Returns the signal, or 0 if there is
 * none.
 */
int session__pending_signal(struct session *session);

/*
 * Runs one repetition, including the command. Returns 0, or -errno after printing the reason. If
 * the command cannot be executed, returns 0 and sets @end->exec_err. @end->total stays valid until
 * the next repetition. If the repetition fails, or is ended by SIGTERM, SIGHUP, the time limit or a
 * "stop" from --control, sends SIGTERM to the command unless it has already ended.
 */
int session__run(struct session *session, const struct session_sink *sink, struct session_end *end);

/* Makes all following repetitions run the command @argv instead of stat_config.argv. */
void session__set_command(struct session *session, char *const *argv);

/*
 * Sets whether another repetition will follow the next one. If @more_runs is true, events that take
 * a long time to open may stay open after the next repetition (groups__suspend()).
 */
void session__set_more_runs(struct session *session, bool more_runs);

/*
 * Ends the session. The caller must already have printed the results of the last repetition. The
 * kernel may need seconds to close the events of many tracepoints. If closing them takes longer
 * than a second, prints a message that explains the wait. The log level of the message is @level,
 * or LOG_WARNING if stderr is a terminal. Returns 0, or the number of a signal that ended the wait.
 */
int session__end(struct session *session, enum log_level level);

/* Frees the session and closes everything that is still open. @session may be NULL. */
void session__free(struct session *session);

#endif
