/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command of one repetition. Its process is forked first, starts the command when all events
 * are enabled, and is waited for. Without a command, all functions do nothing.
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

/* The first six members belong to the session; the rest is zero between repetitions. */
struct session_command {
	const struct stat_config *cfg;
	const struct evlist *evlist;
	struct groups *groups;
	struct wakeups *wakeups;
	struct strbuf *why;	   /* where the functions below store the reason for an error */
	char *const *argv;	   /* NULL: no command */
	struct workload *workload; /* NULL without a command */
	struct threadmap *thread;  /* the command, if it is counted; otherwise NULL */
	uint64_t
		/* CPU time in ns that the command used until its exec, or slightly more */
		before_ns;
	uint64_t cpu_ns;   /* CPU time in ns that the command has used; may exclude its children */
	bool knows_change; /* loss.change is known */
	/*
	 * the part of the command that was not counted, from the last session_command__find_loss()
	 */
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
 * Starts the command and watches for its end. Returns 0, with an -errno in *@exec_err if the
 * command cannot be executed; or -errno if breakpoints cannot be placed.
 */
int session_command__start(struct session_command *c, int *exec_err);
/*
 * Waits for the end of the command. If the count ended first, sends SIGTERM to the command. Stores
 * in @end how it ended, or a signal that arrived before that.
 */
int session_command__end(struct session_command *c, struct session_end *end);
/*
 * Call this after the counts were read. Finds the part of the command's CPU time that the kernel
 * did not count, and marks the counts.
 */
void session_command__find_loss(struct session_command *c);
/*
 * Kills a command that was never started. If the session failed (@failed) or got a signal (@sig),
 * sends SIGTERM to a running command, unless it has received SIGINT from the terminal itself.
 */
void session_command__drop(struct session_command *c, bool failed, int sig);

#endif
