/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command of one repetition. Before pstat opens events, it forks a process. This process waits
 * for session_command__start(), and then executes the command. If there is no command, all
 * functions below do nothing.
 *
 *	make ─► start ─► end ─► drop, and then make again for the next repetition
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
 * The session sets the members up to and including `argv`; the struct does not own them. The other
 * members are zero before the first repetition.
 */
struct session_command {
	const struct stat_config *cfg;
	const struct evlist *evlist;
	struct groups *groups;
	struct wakeups *wakeups;
	struct strbuf *why;	   /* functions store the reason for an error here */
	char *const *argv;	   /* NULL: no command */
	struct workload *workload; /* NULL: no command, or it was cancelled */
	/*
	 * a list that contains only the process of the command; NULL if the command is not counted
	 */
	struct threadmap *thread;
	/*
	 * CPU time in ns that the process used before its exec, or slightly more (the time is read
	 * after the exec)
	 */
	uint64_t before_ns;
	/* CPU time of the command in ns; includes its children only after the command has ended */
	uint64_t cpu_ns;
	bool knows_change; /* loss.change is known */
	/*
	 * set by session_command__find_loss(); session_command__make() clears it, and may set
	 * loss.change
	 */
	struct exec_loss loss;
};

/*
 * Kills the process, which must not have executed the command yet. `thread` stays valid until
 * session_command__drop().
 */
void session_command__cancel(struct session_command *command);

/* Forks the process that will execute the command. Returns 0 or -errno. */
int session_command__make(struct session_command *c);
/*
 * Executes the command, and makes wakeups__wait() report the end of the command. Places breakpoints
 * on symbols (mem:SYMBOL) at the exec, because the exec can change the address of a symbol. Returns
 * 0, or -errno if these breakpoints cannot be placed. If the command cannot be executed, returns 0
 * and stores -errno in *@exec_err (-EINTR if a signal interrupted the exec).
 */
int session_command__start(struct session_command *c, int *exec_err);
/*
 * Waits for the end of the command. Before the wait, sends SIGTERM to the command if the time limit
 * or a "stop" from --control ended the repetition. Stores the command's exit status and CPU time in
 * @end. If a signal ends the wait, stores the signal instead. Returns 0 or -errno.
 */
int session_command__end(struct session_command *c, struct session_end *end);
/*
 * Checks whether the kernel counted all CPU time of the command (exec-loss.h). Corrects the counts
 * of events that the kernel removed at an exec, and sets @c->loss. Called after each reading.
 */
void session_command__find_loss(struct session_command *c);
/*
 * Frees the command. Kills the process if the command was never started. Sends SIGTERM to a running
 * command if @failed is true, or if @sig is a signal other than SIGINT. (The terminal sends SIGINT
 * to the command too.)
 */
void session_command__drop(struct session_command *c, bool failed, int sig);

#endif
