// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/machine/symbols/bounded-child.h"

#define WAIT_NS 60000000000ULL

static void spin(int socket, void *arg)
{
	const struct bounded_limits limits = { .memory = 1ULL << 40, .cpu_seconds = 1 };
	volatile unsigned long turns = 0;

	(void)arg;
	bounded_child__confine(&socket, 1, &limits);
	for (;;)
		turns++;
}

static void exit_with_7(int socket, void *arg)
{
	(void)arg;
	bounded_child__send(socket, "x", 1);
	_exit(7);
}

/* The parent tells the user the reason, so SIGXCPU must end the child, not SIGKILL. */
static void a_child_that_uses_up_its_cpu_time_ends_with_sigxcpu(void **state)
{
	struct bounded_child child = BOUNDED_CHILD_INIT;
	sigset_t set, before;
	int status;
	char c;

	(void)state;
	/* a session blocks signals */
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	assert_int_equal(bounded_child__start(&child, spin, NULL), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(bounded_child__receive(&child, &c, 1, WAIT_NS), -EPIPE);
	status = bounded_child__end(&child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGXCPU);
}

static void the_answer_and_the_status_of_a_child_reach_the_parent(void **state)
{
	struct bounded_child child = BOUNDED_CHILD_INIT;
	int status;
	char c;

	(void)state;
	assert_int_equal(bounded_child__start(&child, exit_with_7, NULL), 0);
	assert_int_equal(bounded_child__receive(&child, &c, 1, WAIT_NS), 0);
	assert_int_equal(c, 'x');
	assert_int_equal(bounded_child__receive(&child, &c, 1, WAIT_NS), -EPIPE);
	status = bounded_child__end(&child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_int_equal(bounded_child__end(&child), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_that_uses_up_its_cpu_time_ends_with_sigxcpu),
		cmocka_unit_test(the_answer_and_the_status_of_a_child_reach_the_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
