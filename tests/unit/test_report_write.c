// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/pending-signal.h"
#include "util/base/report-write.h"

#define LEN 1000000

static char *text_of(char c)
{
	char *text = malloc(LEN);

	assert_non_null(text);
	memset(text, c, LEN);
	return text;
}

/*
 * Starts a child that waits for @delay_us, and then reads the pipe to the end. The child's exit
 * status is 0 if it has read LEN bytes.
 */
static pid_t start_reader(const int fds[2], useconds_t delay_us)
{
	static char piece[65536];
	pid_t pid = fork();
	ssize_t n, all = 0;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	close(fds[1]);
	usleep(delay_us);
	while ((n = read(fds[0], piece, sizeof(piece))) > 0)
		all += n;
	_exit(all == LEN ? 0 : 1);
}

static void expect_reader(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void a_long_text_reaches_a_late_reader_completely(void **state)
{
	char *text = text_of('x');
	int fds[2];
	FILE *file;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = start_reader(fds, 100000);
	close(fds[0]);
	file = fdopen(fds[1], "w");
	assert_int_equal(report_write(file, text, LEN), 0);
	fclose(file);
	expect_reader(pid);
	free(text);
}

static void a_pending_signal_alone_truncates_nothing(void **state)
{
	char *text = text_of('x');
	int fds[2];
	FILE *file;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	/* the whole text fits into the pipe, so the reader need not be fast */
	if (fcntl(fds[1], F_SETPIPE_SZ, 1 << 20) < 0)
		skip();
	pending_signal__raise();
	pending_signal__wait_until_due();
	pid = start_reader(fds, 0);
	close(fds[0]);
	file = fdopen(fds[1], "w");
	assert_int_equal(report_write(file, text, LEN), 0);
	fclose(file);
	expect_reader(pid);
	pending_signal__take();
	free(text);
}

static void a_signal_ends_the_wait_for_a_pipe_that_nobody_reads(void **state)
{
	char *text = text_of('x');
	int fds[2];
	FILE *file;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	file = fdopen(fds[1], "w");
	pending_signal__raise();
	alarm(20);
	assert_int_equal(report_write(file, text, LEN), -EINTR);
	alarm(0);
	/* the signal remains pending for the code that waits for it */
	pending_signal__take();
	close(fds[0]);
	fclose(file);
	free(text);
}

static void errors_of_the_file_are_returned(void **state)
{
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(report_write(full, "x", 1), -ENOSPC);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_text_reaches_a_late_reader_completely),
		cmocka_unit_test(a_pending_signal_alone_truncates_nothing),
		cmocka_unit_test(a_signal_ends_the_wait_for_a_pipe_that_nobody_reads),
		cmocka_unit_test(errors_of_the_file_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
