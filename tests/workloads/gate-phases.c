// SPDX-License-Identifier: GPL-2.0-only
/*
 * gate-phases [-n TIMES] [-s] [-t] [-c] BEFORE BETWEEN AFTER
 *
 * Runs BEFORE turns of a loop of two instructions, passes warm() and the USDT point
 * pstat_test:warm, runs BETWEEN turns, passes pstat_test:done and done(), and runs AFTER turns. All
 * this TIMES times.
 * -s: a turn is a system call instead. -t: a second thread spins until the end. -c: a child runs
 * the turns between the points, and the parent passes them.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/workloads/spin.h"
#include "tests/workloads/usdt.h"

USDT_BASE();

static volatile int passed;
static volatile bool has_begun, is_over;

__attribute__((noinline, used)) static void warm(void)
{
	passed++;
}

__attribute__((noinline, used)) static void done(void)
{
	passed++;
}

static void *spin_beside(void *arg)
{
	has_begun = true;
	while (!is_over)
		spin(1000);
	return arg;
}

static bool by_calls;

static void run(unsigned long turns)
{
	if (!by_calls)
		spin(turns);
	for (unsigned long i = 0; by_calls && i < turns; i++)
		syscall(SYS_getppid);
}

__attribute__((noinline, used)) static void run_between(unsigned long turns, bool in_child)
{
	pid_t pid;

	if (!in_child) {
		run(turns);
		return;
	}
	pid = fork();
	if (!pid) {
		run(turns);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	unsigned long times = 1, turns[3];
	bool beside = false, in_child = false;
	pthread_t thread;
	int letter;

	while ((letter = getopt(argc, argv, "n:stc")) > 0) {
		if (letter == 'n')
			times = strtoul(optarg, NULL, 10);
		else if (letter == 's')
			by_calls = true;
		else if (letter == 't')
			beside = true;
		else if (letter == 'c')
			in_child = true;
		else
			return 2;
	}
	if (argc - optind != 3 || (beside && pthread_create(&thread, NULL, spin_beside, NULL)))
		return 2;
	/* a new thread makes system calls */
	while (beside && !has_begun)
		;
	for (int i = 0; i < 3; i++)
		turns[i] = strtoul(argv[optind + i], NULL, 10);
	for (unsigned long i = 0; i < times; i++) {
		run(turns[0]);
		warm();
		USDT_PLACE(pstat_test, warm, 0);
		run_between(turns[1], in_child);
		USDT_PLACE(pstat_test, done, 0);
		done();
		run(turns[2]);
	}
	is_over = true;
	if (beside)
		pthread_join(thread, NULL);
	return 0;
}
