// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two pipes, `go` and `failed`, connect pstat with the child that executes the command:
 *
 *	pstat				child
 *	fork ───────────────────────►	read(go) … blocks
 *	open events on the pid
 *	write(go) ──────────────────►	execvp
 *	read(failed): EOF ◄──────────	(close-on-exec)		exec succeeded
 *	read(failed): errno ◄────────	write(failed), _exit	exec failed
 */
#include "util/count/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/interrupt.h"
#include "util/base/reason.h"
#include "util/count/fd-limit.h"

/*
 * While pstat waits for the exec of the command, it checks for signals at intervals of this length.
 */
#define POLL_MS 10

struct workload {
	pid_t pid; /* 0 if there is no child to wait for */
	/*
	 * the write end of the pipe `go`; -1 after workload__start() has written to the pipe and
	 * closed both ends
	 */
	int go;
	/*
	 * the read end of the pipe `go`; kept open until workload__start() has written to the pipe,
	 * because a write to a pipe without readers raises SIGPIPE
	 */
	int go_read;
	/*
	 * the read end of the pipe `failed`, to which the child writes errno if execvp(3) fails
	 */
	int failed;
	int pidfd;
	bool started;
	int (*at_exec)(void *arg, pid_t pid);
	void *at_exec_arg;
};

static void __attribute__((noreturn))
child_main(char *const *argv, const sigset_t *mask, int go, int failed)
{
	char byte = 0;
	int err;

	sigprocmask(SIG_SETMASK, mask, NULL);
	while (read(go, &byte, 1) < 0 && errno == EINTR)
		;
	if (byte != 'g')
		_exit(0);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

/* Stores in @why that the system call @call failed with errno. Returns -errno. */
static int call_failed(char *const *argv, const char *call, struct strbuf *why)
{
	return reason__store_call(why, -errno, call, "%s: cannot start a process for it", argv[0]);
}

int workload__new(char *const *argv, const sigset_t *mask, struct strbuf *why,
		  struct workload **workload)
{
	int go[2] = { -1, -1 }, failed[2] = { -1, -1 };
	struct workload *w = calloc(1, sizeof(*w));
	int err = 0;

	*workload = NULL;
	if (!w)
		return -ENOMEM;
	w->pidfd = -1;
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		err = call_failed(argv, "pipe2", why);
	if (err)
		goto out;
	fd_limit__hide();
	w->pid = fork();
	if (w->pid < 0)
		err = call_failed(argv, "clone", why);
	if (w->pid)
		fd_limit__show();
	if (err)
		goto out;
	if (!w->pid) {
		close(go[1]);
		close(failed[0]);
		child_main(argv, mask, go[0], failed[1]);
	}
	close(failed[1]);
	w->go_read = go[0];
	w->go = go[1];
	w->failed = failed[0];
	w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
	if (w->pidfd < 0) {
		err = call_failed(argv, "pidfd_open", why);
		workload__free(w);
		return err;
	}
	*workload = w;
	return 0;
out:
	for (int i = 0; i < 2; i++) {
		if (go[i] >= 0)
			close(go[i]);
		if (failed[i] >= 0)
			close(failed[i]);
	}
	free(w);
	return err;
}

static void workload__reap(struct workload *w)
{
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
}

void workload__call_at_exec(struct workload *w, int (*at_exec)(void *arg, pid_t pid), void *arg)
{
	w->at_exec = at_exec;
	w->at_exec_arg = arg;
}

/*
 * Attaches to the waiting child with ptrace(2), so that the child stops at its exec. Returns 0 or
 * -errno.
 */
static int trace(const struct workload *w)
{
	return ptrace(PTRACE_SEIZE, w->pid, NULL, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) ? -errno :
											    0;
}

/*
 * If a signal has stopped the traced child before its exec, delivers the signal and lets the child
 * continue. Does not handle the child's stop at its exec, for which call_hook() waits.
 */
static void pass_signal(const struct workload *w)
{
	siginfo_t stop = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)w->pid, &stop, WSTOPPED | WNOHANG | WNOWAIT) || !stop.si_pid ||
	    stop.si_status >> 8 == PTRACE_EVENT_EXEC)
		return;
	/* without WEXITED, because waitid(2) must not reap a child that has ended */
	stop.si_pid = 0;
	if (!waitid(P_PID, (id_t)w->pid, &stop, WSTOPPED | WNOHANG) && stop.si_pid)
		ptrace(PTRACE_CONT, w->pid, NULL, (long)(stop.si_status & 0x7f));
}

/*
 * Waits until the child stops at its exec, calls @w->at_exec, and detaches from the child. If a
 * signal ends the child before it is detached, returns 0 and leaves the child's status to
 * workload__wait(), even if @w->at_exec failed or was not called. Otherwise, returns 0 or -errno.
 */
static int call_hook(struct workload *w)
{
	unsigned long message;
	siginfo_t stop;
	int err;

	for (;;) {
		while (waitid(P_PID, (id_t)w->pid, &stop, WSTOPPED | WEXITED | WNOWAIT))
			if (errno != EINTR)
				return -errno;
		if (stop.si_code != CLD_TRAPPED && stop.si_code != CLD_STOPPED)
			return 0;
		/* SIGKILL may have ended the child since the last waitid(2); if so, look again */
		stop.si_pid = 0;
		if (waitid(P_PID, (id_t)w->pid, &stop, WSTOPPED | WNOHANG) || !stop.si_pid)
			continue;
		if (stop.si_status >> 8 == PTRACE_EVENT_EXEC)
			break;
		/* a signal stopped the child before the exec */
		ptrace(PTRACE_CONT, w->pid, NULL, (long)(stop.si_status & 0x7f));
	}
	err = w->at_exec(w->at_exec_arg, w->pid);
	if (!err && ptrace(PTRACE_DETACH, w->pid, NULL, NULL))
		err = -errno;
	/* ESRCH means that SIGKILL has ended the child; its end probably also caused `err` */
	if (err && ptrace(PTRACE_GETEVENTMSG, w->pid, NULL, &message) && errno == ESRCH)
		return 0;
	return err;
}

/*
 * Waits until execvp(3) in the child has succeeded or failed. If pstat receives a signal, kills the
 * child but does not wait for its end: if a file system does not respond, even SIGKILL may not end
 * the child. Returns 0, -EINTR after a signal, or -errno if execvp(3) has failed.
 */
static int await_exec(struct workload *w)
{
	struct pollfd readable = { .fd = w->failed, .events = POLLIN };
	int exec_err = 0;
	ssize_t n;

	while ((n = poll(&readable, 1, POLL_MS)) <= 0) {
		/* if poll(2) fails, block in read(2) without checking for signals */
		if (n < 0 && errno != EINTR)
			break;
		if (w->at_exec)
			pass_signal(w);
		if (!interrupt__is_due())
			continue;
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, WNOHANG);
		w->pid = 0;
		return -EINTR;
	}
	while ((n = read(w->failed, &exec_err, sizeof(exec_err))) < 0 && errno == EINTR)
		;
	if (n != sizeof(exec_err))
		return 0;
	workload__reap(w);
	return -exec_err;
}

static void close_go(struct workload *w)
{
	if (w->go < 0)
		return;
	close(w->go_read);
	close(w->go);
	w->go = -1;
}

int workload__start(struct workload *w, int *hook_err)
{
	int err;

	if (w->at_exec) {
		*hook_err = trace(w);
		if (*hook_err)
			return 0;
	}
	/*
	 * if a signal has already ended the child, the write still succeeds; the pidfd then reports
	 * the end of the child
	 */
	if (write(w->go, "g", 1) != 1)
		return -errno;
	close_go(w);
	err = await_exec(w);
	if (err)
		return err;
	if (w->at_exec) {
		*hook_err = call_hook(w);
		if (*hook_err && w->pid) {
			kill(w->pid, SIGKILL);
			workload__reap(w);
		}
	}
	w->started = true;
	return 0;
}

pid_t workload__pid(const struct workload *w)
{
	return w->pid;
}

int workload__pidfd(const struct workload *w)
{
	return w->pidfd;
}

int workload__wait(struct workload *w, int *status, struct rusage *usage)
{
	while (wait4(w->pid, status, 0, usage) < 0)
		if (errno != EINTR)
			return -errno;
	w->pid = 0;
	return 0;
}

void workload__terminate(struct workload *w)
{
	if (w->pid && w->started)
		kill(w->pid, SIGTERM);
}

void workload__free(struct workload *w)
{
	if (!w)
		return;
	close_go(w);
	close(w->failed);
	if (w->pidfd >= 0)
		close(w->pidfd);
	if (w->pid && !w->started) {
		kill(w->pid, SIGKILL);
		workload__reap(w);
	}
	free(w);
}
