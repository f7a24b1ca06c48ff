/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command of one repetition. pstat forks its process before it opens events. The process
 * executes the command when all events are enabled. Without a command, all functions do nothing.
 *
 *	make ─► start ─► end ─► drop, then make again for the next repetition
 */
#ifndef PSTAT_COUNT_SESSION_COMMAND_H
#define PSTAT_COUNT_SESSION_COMMAND_H

#include <stdbool.h>

#include "util/count/exec-loss.h"

struct evlist;
struct groups;
struct session_end;
struct stat_config;
struct strbuf;
struct threadmap;
struct wakeups;
struct workload;

/*
 * The session sets the members up to `argv`. This struct does not own what they point to. The other
 * members are zero before the first repetition.
 */
struct session_command {
	const struct stat_config *cfg;
	const struct evlist *evlist;
	struct groups *groups;
	struct wakeups *wakeups;
	struct strbuf *why;	   /* where functions store the reason for an error */
	char *const *argv;	   /* NULL: no command */
	struct workload *workload; /* NULL without a command */
	/* the process of the command; NULL if the command is not counted */
	struct threadmap *thread;
	/* CPU time in ns that the process used before its exec, or slightly more */
	uint64_t before_ns;
	uint64_t cpu_ns;   /* CPU time in ns that the command has used; may exclude its children */
	bool knows_change; /* loss.change is known */
	/* result of the last session_command__find_loss() */
	struct exec_loss loss;
};

/*
 * Kills the process before it executes the command. `thread` stays valid until
 * session_command__drop().
 */
void session_command__cancel(struct session_command *command);

/* Forks the process that will execute the command. */
int session_command__make(struct session_command *c);
/*
 * Starts the command and watches for its end. Returns 0, or -errno if breakpoints cannot be placed.
 * If the command cannot be executed, returns 0 and stores -errno in *@exec_err.
 */
int session_command__start(struct session_command *c, int *exec_err);
/*
 * Waits for the end of the command. First sends SIGTERM to the command if the time limit or "stop"
 * ended the count. Stores in @end the exit status and CPU time, or a signal that ended the wait.
 * Returns 0 or -errno.
 */
int session_command__end(struct session_command *c, struct session_end *end);
/*
 * Finds the part of the command's CPU time that the kernel did not count, and marks the affected
 * counts. Called after each reading.
 */
void session_command__find_loss(struct session_command *c);
/*
 * Frees the command. Kills a command that was never started. Sends SIGTERM to a running command if
 * @failed is true, or if @sig is a signal other than SIGINT. (The terminal sends SIGINT to the
 * command too.)
 */
void session_command__drop(struct session_command *c, bool failed, int sig);

#endif
