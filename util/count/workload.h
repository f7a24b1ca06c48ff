/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command to count. It is forked early, so that events can be opened on its pid, and held
 * before its exec until workload__start(). If pstat dies before that, even by SIGKILL, the child
 * exits without running anything.
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
 * Forks a held child that will execute @argv with the signal mask @mask. Returns 0, or -errno with
 * the reason in @why.
 */
int workload__new(char *const *argv, const sigset_t *mask, struct strbuf *why,
		  struct workload **workload);

/*
 * Lets the child exec. Returns 0 if the command runs. Otherwise the child has ended, and the result
 * is the -errno of execvp, or *@hook_err is the error of @at_exec of workload__call_at_exec().
 * @hook_err may be NULL if there is no such function.
 */
int workload__start(struct workload *workload, int *hook_err);

/*
 * Makes workload__start() call @at_exec right after the exec, before the command's first
 * instruction. The command is traced up to that point (ptrace(2)). If @at_exec returns an -errno,
 * the command is killed.
 */
void workload__call_at_exec(struct workload *workload, int (*at_exec)(void *arg, pid_t pid),
			    void *arg);

pid_t workload__pid(const struct workload *workload);
/* Returns an fd that is readable (poll) when the child has ended. */
int workload__pidfd(const struct workload *workload);

/*
 * Waits for the end of the command. @status is as in wait(2). @usage includes the children for
 * which the command waited. Returns 0 or -errno.
 */
int workload__wait(struct workload *workload, int *status, struct rusage *usage);

/* Asks a running command to end (SIGTERM). */
void workload__terminate(struct workload *workload);

/*
 * Kills and reaps a command that was never started. A running command continues. @workload may be
 * NULL.
 */
void workload__free(struct workload *workload);

#endif
