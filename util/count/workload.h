/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command to count: forked at once, so that its pid is known and events can be opened on it, but held before its exec
 * until workload__start(). When pstat dies before that, also by SIGKILL, the child ends without running anything.
 */
#ifndef PSTAT_COUNT_WORKLOAD_H
#define PSTAT_COUNT_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct workload;

/* Fork @argv[0] with its arguments, held; it is given the signal mask @mask. 0 or -errno. */
int workload__new(char **argv, const sigset_t *mask, struct workload **workload);

/*
 * Let it exec. 0 when the command runs; else the -errno of execvp, and the child is gone. @hook_err: what the function that was to be
 * called at the exec returned; the child is gone then too. NULL when there is none.
 */
int workload__start(struct workload *workload, int *hook_err);

/*
 * To be called by workload__start() right after the exec, before the command's first instruction: the command is traced up to there
 * (ptrace(2)). @at_exec returns 0 or -errno, and with that the command is killed.
 */
void workload__call_at_exec(struct workload *workload, int (*at_exec)(void *arg, pid_t pid), void *arg);

pid_t workload__pid(const struct workload *workload);
/* Readable (poll) when the child has ended. */
int workload__pidfd(const struct workload *workload);

/* Wait for its end. @status as of wait(2); @usage is what it and the children that it waited for used. 0 or -errno. */
int workload__wait(struct workload *workload, int *status, struct rusage *usage);

/* Asks a running command to end (SIGTERM). */
void workload__terminate(struct workload *workload);

/* A command that was never started is killed and reaped; one that runs is left alone. NULL is fine. */
void workload__free(struct workload *workload);

#endif
