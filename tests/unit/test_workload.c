// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/count/workload.h"

#define PATIENCE_MSEC 20000

/* The test has a directory of its own. */
static char marker[] = "/tmp/pstat-workload-XXXXXX/ran";

static int make_folder(void **state)
{
	char *slash = marker + sizeof("/tmp/pstat-workload-XXXXXX") - 1;

	(void)state;
	alarm(60);
	*slash = '\0';
	if (!mkdtemp(marker))
		return -1;
	*slash = '/';
	return 0;
}

static int remove_folder(void **state)
{
	char *slash = marker + sizeof("/tmp/pstat-workload-XXXXXX") - 1;

	(void)state;
	unlink(marker);
	*slash = '\0';
	return rmdir(marker);
}

static bool it_ran(void)
{
	return !access(marker, F_OK);
}

static struct workload *held(char **argv)
{
	struct workload *workload;

	assert_int_equal(workload__new(argv, NULL, NULL, &workload), 0);
	assert_true(workload__pid(workload) > 0);
	assert_true(workload__pidfd(workload) >= 0);
	return workload;
}

static int status_of(struct workload *workload)
{
	struct rusage usage;
	int status;

	assert_int_equal(workload__wait(workload, &status, &usage), 0);
	return status;
}

static void assert_no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void a_command_is_held_until_it_is_started(void **state)
{
	char *argv[] = { (char *)"touch", marker, NULL };
	struct workload *workload = held(argv);
	siginfo_t info = { .si_pid = 0 };

	(void)state;
	/* 50 ms is much longer than touch needs. */
	usleep(50000);
	assert_int_equal(
		waitid(P_PID, (id_t)workload__pid(workload), &info, WEXITED | WNOHANG | WNOWAIT),
		0);
	assert_int_equal(info.si_pid, 0);
	assert_false(it_ran());

	assert_int_equal(workload__start(workload, NULL), 0);
	assert_int_equal(status_of(workload), 0);
	assert_true(it_ran());
	workload__free(workload);
	assert_no_children();
	assert_int_equal(unlink(marker), 0);
}

static void a_command_that_was_never_started_ends_without_running(void **state)
{
	char *argv[] = { (char *)"touch", marker, NULL };

	(void)state;
	workload__free(held(argv));
	assert_no_children();
	assert_false(it_ran());
	workload__free(NULL);
}

static void a_held_command_that_is_stopped_also_ends(void **state)
{
	char *argv[] = { (char *)"touch", marker, NULL };
	struct workload *workload = held(argv);
	int status;

	(void)state;
	assert_int_equal(kill(workload__pid(workload), SIGSTOP), 0);
	assert_int_equal(waitpid(workload__pid(workload), &status, WUNTRACED),
			 workload__pid(workload));
	assert_true(WIFSTOPPED(status));
	workload__free(workload);
	assert_no_children();
	assert_false(it_ran());
}

static void a_failed_exec_reports_its_error_and_leaves_no_child(void **state)
{
	static const struct {
		const char *path;
		int err;
	} bad[] = {
		{ "/no/such/command", -ENOENT },
		{ "no-such-command-in-the-path", -ENOENT },
		{ "", -ENOENT },
		{ "/", -EACCES },
		{ "/dev/null", -EACCES },
		{ "/dev/null/below", -ENOTDIR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *argv[] = { (char *)bad[i].path, NULL };
		struct workload *workload = held(argv);

		assert_int_equal(workload__start(workload, NULL), bad[i].err);
		assert_no_children();
		workload__free(workload);
	}
}

static void the_end_of_a_command_is_reported(void **state)
{
	char *exits[] = { (char *)"sh", (char *)"-c", (char *)"exit 42", NULL };
	char *dies[] = { (char *)"sh", (char *)"-c", (char *)"kill -KILL $$", NULL };
	struct workload *workload = held(exits);
	int status;

	(void)state;
	assert_int_equal(workload__start(workload, NULL), 0);
	status = status_of(workload);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
	workload__free(workload);

	workload = held(dies);
	assert_int_equal(workload__start(workload, NULL), 0);
	status = status_of(workload);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	workload__free(workload);
}

static void its_pidfd_is_readable_after_it_has_ended(void **state)
{
	char *argv[] = { (char *)"cat", NULL };
	int end[2], in = dup(STDIN_FILENO);
	struct workload *workload;
	struct pollfd pollfd;

	(void)state;
	assert_int_equal(pipe2(end, O_CLOEXEC), 0);
	dup2(end[0], STDIN_FILENO);
	workload = held(argv);
	assert_int_equal(workload__start(workload, NULL), 0);
	dup2(in, STDIN_FILENO);
	close(in);
	close(end[0]);

	pollfd = (struct pollfd){ .fd = workload__pidfd(workload), .events = POLLIN };
	assert_int_equal(poll(&pollfd, 1, 20), 0);
	close(end[1]);
	assert_int_equal(poll(&pollfd, 1, PATIENCE_MSEC), 1);
	assert_int_equal(status_of(workload), 0);
	workload__free(workload);
}

static void a_running_command_is_asked_to_end(void **state)
{
	char *argv[] = { (char *)"sleep", (char *)"1000", NULL };
	struct workload *workload = held(argv);
	int status;

	(void)state;
	assert_int_equal(workload__start(workload, NULL), 0);
	workload__terminate(workload);
	status = status_of(workload);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	workload__terminate(workload);
	workload__free(workload);
}

/*
 * No signal is sent to a child that has not been started: it has not run, and workload__free()
 * reaps it.
 */
static void a_held_command_is_not_terminated(void **state)
{
	char *argv[] = { (char *)"touch", marker, NULL };
	struct workload *workload = held(argv);

	(void)state;
	workload__terminate(workload);
	assert_int_equal(workload__start(workload, NULL), 0);
	assert_int_equal(status_of(workload), 0);
	assert_true(it_ran());
	assert_int_equal(unlink(marker), 0);
	workload__free(workload);
}

static void a_running_command_continues_when_it_is_freed(void **state)
{
	char *argv[] = { (char *)"sleep", (char *)"1000", NULL };
	struct workload *workload = held(argv);
	pid_t pid = workload__pid(workload);
	int status;

	(void)state;
	assert_int_equal(workload__start(workload, NULL), 0);
	workload__free(workload);
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void cpu_time_is_reported_with_the_end(void **state)
{
	char *argv[] = { (char *)"sh", (char *)"-c",
			 (char *)"i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", NULL };
	struct workload *workload = held(argv);
	struct rusage usage = {};
	int status;

	(void)state;
	assert_int_equal(workload__start(workload, NULL), 0);
	assert_int_equal(workload__wait(workload, &status, &usage), 0);
	assert_true(usage.ru_utime.tv_sec || usage.ru_utime.tv_usec || usage.ru_stime.tv_usec);
	workload__free(workload);
}

/* This also holds for SIGKILL, after which pstat cannot clean up. */
static void a_held_command_ends_with_its_parent_and_never_runs(void **state)
{
	char *argv[] = { (char *)"touch", marker, NULL };
	pid_t parent, child = 0;
	int told[2], status;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	parent = fork();
	if (parent == 0) {
		struct workload *workload;

		if (workload__new(argv, NULL, NULL, &workload))
			_exit(1);
		child = workload__pid(workload);
		if (write(told[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(read(told[0], &child, sizeof(child)), sizeof(child));
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_false(it_ran());
	close(told[0]);
	close(told[1]);
}

/* The command does not inherit signals that pstat blocks later, for a signalfd. */
static void a_command_has_the_signal_mask_from_the_time_when_it_was_made(void **state)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"kill -TERM $$; exit 0", NULL };
	struct workload *workload = held(argv);
	sigset_t mask, old;
	int status;

	(void)state;
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, &old);
	assert_int_equal(workload__start(workload, NULL), 0);
	status = status_of(workload);
	sigprocmask(SIG_SETMASK, &old, NULL);
	assert_true(WIFSIGNALED(status));
	workload__free(workload);
}

static void no_file_stays_open(void **state)
{
	char *good[] = { (char *)"true", NULL }, *bad[] = { (char *)"/", NULL };
	int before = dup(STDIN_FILENO), after;
	struct workload *workload;

	(void)state;
	close(before);
	workload__free(held(good));
	workload = held(bad);
	workload__start(workload, NULL);
	workload__free(workload);
	workload = held(good);
	assert_int_equal(workload__start(workload, NULL), 0);
	status_of(workload);
	workload__free(workload);
	after = dup(STDIN_FILENO);
	close(after);
	assert_int_equal(after, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_is_held_until_it_is_started),
		cmocka_unit_test(a_command_that_was_never_started_ends_without_running),
		cmocka_unit_test(a_held_command_that_is_stopped_also_ends),
		cmocka_unit_test(a_failed_exec_reports_its_error_and_leaves_no_child),
		cmocka_unit_test(the_end_of_a_command_is_reported),
		cmocka_unit_test(its_pidfd_is_readable_after_it_has_ended),
		cmocka_unit_test(a_running_command_is_asked_to_end),
		cmocka_unit_test(a_held_command_is_not_terminated),
		cmocka_unit_test(a_running_command_continues_when_it_is_freed),
		cmocka_unit_test(cpu_time_is_reported_with_the_end),
		cmocka_unit_test(a_held_command_ends_with_its_parent_and_never_runs),
		cmocka_unit_test(a_command_has_the_signal_mask_from_the_time_when_it_was_made),
		cmocka_unit_test(no_file_stays_open),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
