// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/count/wakeups.h"
#include "util/machine/task/threadmap.h"

#define MSEC NSEC_PER_MSEC

static struct wakeups *new_wakeups(void)
{
	struct wakeups *w;

	assert_int_equal(wakeups__new(NULL, &w), 0);
	return w;
}

/* A child process that lives until its pipe contains a byte. */
struct child {
	pid_t pid;
	int pipe;
};

static struct child child__new(void)
{
	struct child child;
	int fds[2];
	char byte;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	child.pid = fork();
	if (child.pid == 0) {
		_exit(read(fds[0], &byte, 1) != 1);
	}
	assert_true(child.pid > 0);
	close(fds[0]);
	child.pipe = fds[1];
	return child;
}

static void child__end(const struct child *child)
{
	assert_int_equal(write(child->pipe, "", 1), 1);
	close(child->pipe);
}

static void child__reap(const struct child *child)
{
	assert_int_equal(waitpid(child->pid, NULL, 0), child->pid);
}

static int no_test_waits_for_ever(void **state)
{
	(void)state;
	alarm(60);
	return 0;
}

/* ---- timers ---- */

static void ticks_come_at_multiples_of_the_interval(void **state)
{
	struct wakeups *w = new_wakeups();
	uint64_t start = clock__now(), ticks = 0;

	(void)state;
	assert_int_equal(wakeups__start_timers(w, start, 5 * MSEC, 0), 0);
	while (ticks < 10) {
		assert_int_equal(wakeups__wait(w), WAKEUP_INTERVAL);
		ticks++;
		assert_true(clock__now() - start >= (ticks + wakeups__missed(w)) * 5 * MSEC);
	}
	wakeups__free(w);
}

/*
 * The ticks that were handled and those that were missed add up to the time that has passed, no
 * matter what delayed this process.
 */
static void a_late_tick_does_not_shift_the_others(void **state)
{
	const struct timespec nap = { .tv_nsec = 33 * (long)MSEC };
	struct wakeups *w = new_wakeups();
	uint64_t start = clock__now(), at_least, at_most;

	(void)state;
	assert_int_equal(wakeups__start_timers(w, start, 10 * MSEC, 0), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_INTERVAL);
	nanosleep(&nap, NULL);
	at_least = (clock__now() - start) / (10 * MSEC);
	assert_int_equal(wakeups__wait(w), WAKEUP_INTERVAL);
	at_most = (clock__now() - start) / (10 * MSEC);
	assert_true(wakeups__missed(w) >= 2);
	assert_in_range(2 + wakeups__missed(w), at_least, at_most);

	assert_int_equal(wakeups__wait(w), WAKEUP_INTERVAL);
	assert_true(clock__now() - start >= (3 + wakeups__missed(w)) * 10 * MSEC);
	wakeups__free(w);
}

static void a_process_that_is_on_time_misses_no_tick(void **state)
{
	struct wakeups *w = new_wakeups();

	(void)state;
	assert_int_equal(wakeups__start_timers(w, clock__now(), 100 * MSEC, 0), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_INTERVAL);
	assert_int_equal(wakeups__missed(w), 0);
	wakeups__free(w);
}

static void the_time_limit_is_reported_once(void **state)
{
	struct wakeups *w = new_wakeups();
	uint64_t start = clock__now();

	(void)state;
	assert_int_equal(wakeups__start_timers(w, start, 500 * MSEC, 10 * MSEC), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_TIMEOUT);
	assert_true(clock__now() - start >= 10 * MSEC);
	assert_int_equal(wakeups__wait(w), WAKEUP_INTERVAL);
	wakeups__free(w);
}

static void times_are_counted_from_the_start_and_not_from_the_call(void **state)
{
	struct wakeups *w = new_wakeups();
	uint64_t now = clock__now();

	(void)state;
	assert_int_equal(wakeups__start_timers(w, now - 995 * MSEC, 0, 1000 * MSEC), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_TIMEOUT);
	assert_true(clock__now() - now >= 5 * MSEC);
	assert_true(clock__now() - now < 900 * MSEC);
	wakeups__free(w);
}

/* ---- signals ---- */

static void signals_are_received_and_reported(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct wakeups *w = new_wakeups();

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		assert_int_equal(kill(getpid(), signals[i]), 0);
		assert_int_equal(wakeups__wait(w), WAKEUP_SIGNAL);
		assert_int_equal(wakeups__signal(w), signals[i]);
	}
	wakeups__free(w);
}

static void two_signals_are_reported_one_after_the_other(void **state)
{
	struct wakeups *w = new_wakeups();
	int first, second;

	(void)state;
	kill(getpid(), SIGINT);
	kill(getpid(), SIGTERM);
	assert_int_equal(wakeups__wait(w), WAKEUP_SIGNAL);
	first = wakeups__signal(w);
	assert_int_equal(wakeups__wait(w), WAKEUP_SIGNAL);
	second = wakeups__signal(w);
	assert_int_equal(first + second, SIGINT + SIGTERM);
	assert_int_not_equal(first, second);
	wakeups__free(w);
}

static void the_signal_mask_is_restored(void **state)
{
	sigset_t before, after;
	struct wakeups *w;

	(void)state;
	sigprocmask(SIG_BLOCK, NULL, &before);
	w = new_wakeups();
	sigprocmask(SIG_BLOCK, NULL, &after);
	assert_true(sigismember(&after, SIGINT) && sigismember(&after, SIGTERM) &&
		    sigismember(&after, SIGHUP));
	wakeups__free(w);
	sigprocmask(SIG_BLOCK, NULL, &after);
	for (int sig = 1; sig < SIGRTMIN; sig++)
		assert_int_equal(sigismember(&after, sig), sigismember(&before, sig));
	wakeups__free(NULL);
}

/* ---- the command and the threads ---- */

static void the_end_of_the_command_is_reported_once(void **state)
{
	struct wakeups *w = new_wakeups();
	struct child child = child__new();
	int pidfd = (int)syscall(SYS_pidfd_open, child.pid, 0);

	(void)state;
	assert_true(pidfd >= 0);
	wakeups__watch_command(w, pidfd);
	assert_int_equal(wakeups__start_timers(w, clock__now(), 0, 20 * MSEC), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_TIMEOUT);
	child__end(&child);
	assert_int_equal(wakeups__wait(w), WAKEUP_COMMAND);
	assert_int_equal(wakeups__start_timers(w, clock__now(), 0, 20 * MSEC), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_TIMEOUT);
	wakeups__free(w);
	assert_int_equal(close(pidfd), 0);
	child__reap(&child);
}

static void all_processes_must_have_ended(void **state)
{
	struct child children[] = { child__new(), child__new() };
	pid_t tids[] = { children[0].pid, children[1].pid };
	struct threadmap threads = { .nr = 2, .tids = tids };
	struct wakeups *w = new_wakeups();

	(void)state;
	assert_int_equal(wakeups__watch_threads(w, &threads), 0);
	child__end(&children[0]);
	child__reap(&children[0]);
	assert_int_equal(wakeups__start_timers(w, clock__now(), 0, 50 * MSEC), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_TIMEOUT);
	child__end(&children[1]);
	assert_int_equal(wakeups__wait(w), WAKEUP_TARGETS);
	child__reap(&children[1]);
	wakeups__free(w);
}

/* The parent may wait for the process much later. */
static void a_process_that_was_not_waited_for_has_ended(void **state)
{
	struct child child = child__new();
	struct threadmap threads = { .nr = 1, .tids = &child.pid };
	struct wakeups *w = new_wakeups();

	(void)state;
	assert_int_equal(wakeups__watch_threads(w, &threads), 0);
	child__end(&child);
	assert_int_equal(wakeups__wait(w), WAKEUP_TARGETS);
	child__reap(&child);
	wakeups__free(w);
}

static void a_process_that_has_already_ended_is_not_waited_for(void **state)
{
	struct child child = child__new();
	struct threadmap threads = { .nr = 1, .tids = &child.pid };
	struct wakeups *w;

	(void)state;
	child__end(&child);
	child__reap(&child);
	w = new_wakeups();
	assert_int_equal(wakeups__watch_threads(w, &threads), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_TARGETS);
	wakeups__free(w);
}

/* A thread of this process other than its main thread. */
struct worker {
	pthread_t thread;
	pid_t tid;
	int ready[2], wake[2];
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	char byte = 0;

	worker->tid = gettid();
	return (void *)(intptr_t)(write(worker->ready[1], &byte, 1) +
				  read(worker->wake[0], &byte, 1));
}

static void worker__start(struct worker *worker)
{
	char byte;

	assert_int_equal(pipe2(worker->ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(worker->wake, O_CLOEXEC), 0);
	assert_int_equal(pthread_create(&worker->thread, NULL, work, worker), 0);
	assert_int_equal(read(worker->ready[0], &byte, 1), 1);
}

static void worker__end(struct worker *worker)
{
	assert_int_equal(write(worker->wake[1], "", 1), 1);
	assert_int_equal(pthread_join(worker->thread, NULL), 0);
	for (int i = 0; i < 2; i++) {
		close(worker->ready[i]);
		close(worker->wake[i]);
	}
}

static void the_end_of_a_thread_other_than_the_main_thread_is_found(void **state)
{
	struct worker worker;
	struct threadmap threads = { .nr = 1, .tids = &worker.tid };
	struct wakeups *w = new_wakeups();

	(void)state;
	worker__start(&worker);
	assert_int_equal(wakeups__watch_threads(w, &threads), 0);
	assert_int_equal(wakeups__start_timers(w, clock__now(), 0, 150 * MSEC), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_TIMEOUT);
	worker__end(&worker);
	assert_int_equal(wakeups__wait(w), WAKEUP_TARGETS);
	wakeups__free(w);
}

/*
 * The main thread of a process, which ends, and another thread of a different process, which lives.
 */
static void the_end_of_one_thread_does_not_end_another(void **state)
{
	struct child child = child__new();
	struct worker worker;
	struct threadmap threads = { .nr = 2 };
	struct wakeups *w = new_wakeups();
	pid_t tids[2];

	(void)state;
	worker__start(&worker);
	tids[0] = child.pid;
	tids[1] = worker.tid;
	threads.tids = tids;
	assert_int_equal(wakeups__watch_threads(w, &threads), 0);
	child__end(&child);
	child__reap(&child);
	assert_int_equal(wakeups__start_timers(w, clock__now(), 0, 250 * MSEC), 0);
	assert_int_equal(wakeups__wait(w), WAKEUP_TIMEOUT);
	worker__end(&worker);
	assert_int_equal(wakeups__wait(w), WAKEUP_TARGETS);
	wakeups__free(w);
}

static void no_file_stays_open(void **state)
{
	struct child child = child__new();
	struct threadmap threads = { .nr = 1, .tids = &child.pid };
	int before = dup(STDIN_FILENO), after;
	struct wakeups *w;

	(void)state;
	close(before);
	w = new_wakeups();
	assert_int_equal(wakeups__watch_threads(w, &threads), 0);
	assert_int_equal(wakeups__start_timers(w, clock__now(), MSEC, MSEC), 0);
	wakeups__free(w);
	after = dup(STDIN_FILENO);
	close(after);
	assert_int_equal(after, before);
	child__end(&child);
	child__reap(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_come_at_multiples_of_the_interval),
		cmocka_unit_test(a_late_tick_does_not_shift_the_others),
		cmocka_unit_test(a_process_that_is_on_time_misses_no_tick),
		cmocka_unit_test(the_time_limit_is_reported_once),
		cmocka_unit_test(times_are_counted_from_the_start_and_not_from_the_call),
		cmocka_unit_test(signals_are_received_and_reported),
		cmocka_unit_test(two_signals_are_reported_one_after_the_other),
		cmocka_unit_test(the_signal_mask_is_restored),
		cmocka_unit_test(the_end_of_the_command_is_reported_once),
		cmocka_unit_test(all_processes_must_have_ended),
		cmocka_unit_test(a_process_that_was_not_waited_for_has_ended),
		cmocka_unit_test(a_process_that_has_already_ended_is_not_waited_for),
		cmocka_unit_test(the_end_of_a_thread_other_than_the_main_thread_is_found),
		cmocka_unit_test(the_end_of_one_thread_does_not_end_another),
		cmocka_unit_test(no_file_stays_open),
	};

	/*
	 * As in a process that a terminal starts, even if the caller of the tests ignores some
	 * signals (a shell's `&`, nohup).
	 */
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	return cmocka_run_group_tests(tests, no_test_waits_for_ever, NULL);
}
