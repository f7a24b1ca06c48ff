/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command's process, a child of pstat. pstat forks the child early, because pstat needs the pid
 * to open events. The child waits for workload__start() before its exec. If pstat ends without
 * calling workload__start(), for example because of SIGKILL, the child exits without executing the
 * command.
 */
#ifndef PSTAT_COUNT_WORKLOAD_H
#define PSTAT_COUNT_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct strbuf;
struct workload;

/*
 * Forks a child that waits for workload__start() and then executes @argv with the signal mask
 * @mask. Returns 0, or -errno with the reason in @why.
 */
int workload__new(char *const *argv, const sigset_t *mask, struct strbuf *why,
		  struct workload **workload);

/*
 * Makes the child execute the command. Returns 0; -EINTR if a signal arrived before the exec
 * finished; or another -errno, for example from execvp(3) in the child. After an error, the child
 * has ended or will end.
 *
 * Also calls the hook, if workload__call_at_exec() has set one. If the hook or ptrace(2) fails,
 * returns 0 and stores -errno in *@hook_err. @hook_err may be NULL if there is no hook.
 */
int workload__start(struct workload *workload, int *hook_err);

/*
 * Makes workload__start() call the hook @at_exec after the exec, before the command's first
 * instruction. pstat traces the child with ptrace(2) until @at_exec returns. If @at_exec fails,
 * pstat kills the command.
 */
void workload__call_at_exec(struct workload *workload, int (*at_exec)(void *arg, pid_t pid),
			    void *arg);

pid_t workload__pid(const struct workload *workload);
/* Returns the child's pidfd, which becomes readable when the child has ended. */
int workload__pidfd(const struct workload *workload);

/*
 * Waits for the end of the command. Sets *@status as wait(2) does, and sets *@usage to the resource
 * usage of the command and of the children that it waited for. Returns 0 or -errno.
 */
int workload__wait(struct workload *workload, int *status, struct rusage *usage);

/* Sends SIGTERM to the command if it is running. */
void workload__terminate(struct workload *workload);

/*
 * Frees @workload, which may be NULL. If the child is still waiting for workload__start(), kills
 * and reaps it. A running command continues.
 */
void workload__free(struct workload *workload);

#endif
