/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command of a session's run: held until everything counts, let go, waited for. All do nothing where there is none.
 *
 *	make ─► start ─► end ─► drop, and again for the next run
 */
#ifndef PSTAT_COUNT_SESSION_COMMAND_H
#define PSTAT_COUNT_SESSION_COMMAND_H

#include <stdbool.h>

#include "util/count/exec-loss.h"

struct evlist;
struct groups;
struct session_end;
struct stat_config;
struct threadmap;
struct wakeups;
struct workload;

/* The first four are the session's; the rest is zero between runs. */
struct session_command {
	const struct stat_config *cfg;
	const struct evlist *evlist;
	struct groups *groups;
	struct wakeups *wakeups;
	struct workload *workload; /* NULL without a command */
	struct threadmap *thread;  /* the held command, when it is counted, else NULL */
	int told_at_exec;	   /* -errno of what went wrong there, and was told */
	uint64_t before_ns;	   /* CPU time in ns that the command used until its exec, or slightly more */
	uint64_t cpu_ns;	   /* CPU time in ns that the command has used; may exclude its children */
	bool knows_change;	   /* loss.change is known */
	/* what was not counted of the command, from the last session_command__find_loss() */
	struct exec_loss loss;
};

/* The command is not started any more: the process that was to execute it ends. Its thread stays known until it is dropped. */
void session_command__cancel(struct session_command *command);

/* A process that waits to become the command. 0, or -errno, told. */
int session_command__make(struct session_command *c);
/* Lets it go and watches for its end. 0, with @exec_err a -errno when it cannot be run; -errno of breakpoints that cannot be placed, told. */
int session_command__start(struct session_command *c, int *exec_err);
/*
 * Asks it to end if the count ended before it, waits, and fills in how it ended; or @end->signal, when one came before. 0, or
 * -errno, told.
 */
int session_command__end(struct session_command *c, struct session_end *end);
/*
 * Call this after the counts were read. Finds the part of the command's CPU time that the kernel did not count, and
 * marks the counts.
 */
void session_command__find_loss(struct session_command *c);
/* A command that was never started is killed; Ctrl-C has reached one that runs; of any other end (@failed, @sig) it does not know. */
void session_command__drop(struct session_command *c, bool failed, int sig);

#endif
