// SPDX-License-Identifier: GPL-2.0-only
/*
 * gate-phases [-n TIMES] [-s] [-t] [-c] [-k] BEFORE BETWEEN AFTER: a program for tests of --start
 * and --stop.
 *
 * Runs BEFORE turns of a loop of two instructions, passes warm() and the USDT point
 * pstat_test:warm, runs BETWEEN turns, passes pstat_test:done and done(), and runs AFTER turns. It
 * repeats all this TIMES times.
 *
 *	-s	a turn is a system call instead
 *	-c	a child process runs the BETWEEN turns; the parent passes the points
 *	-t	a second thread runs turns all the time; prints the smallest and the largest number
 *		of turns that it can have run between the points
 *	-k	also calls getpriority(2) before the BETWEEN turns, and sched_get_priority_max(2)
 *		after them
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/workloads/spin.h"
#include "tests/workloads/usdt.h"

USDT_BASE();

static volatile int passed;
static volatile bool is_over;
static volatile unsigned long beside; /* turns of the second thread */

__attribute__((noinline, used)) static void warm(void)
{
	passed++;
}

__attribute__((noinline, used)) static void done(void)
{
	passed++;
}

static bool by_calls;

static void run(unsigned long turns)
{
	if (!by_calls)
		spin(turns);
	for (unsigned long i = 0; by_calls && i < turns; i++)
		syscall(SYS_getppid);
}

static void *run_beside(void *arg)
{
	while (!is_over) {
		run(1);
		beside++;
	}
	return arg;
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
	unsigned long before, after, least = 0, most = 0;
	bool has_thread = false, in_child = false, has_calls = false;
	pthread_t thread;
	int letter;

	while ((letter = getopt(argc, argv, "n:stck")) > 0) {
		if (letter == 'n')
			times = strtoul(optarg, NULL, 10);
		else if (letter == 's')
			by_calls = true;
		else if (letter == 't')
			has_thread = true;
		else if (letter == 'c')
			in_child = true;
		else if (letter == 'k')
			has_calls = true;
		else
			return 2;
	}
	if (argc - optind != 3 || (has_thread && pthread_create(&thread, NULL, run_beside, NULL)))
		return 2;
	/* wait until the thread runs turns, because starting it also makes system calls */
	while (has_thread && !beside)
		;
	for (int i = 0; i < 3; i++)
		turns[i] = strtoul(argv[optind + i], NULL, 10);
	for (unsigned long i = 0; i < times; i++) {
		run(turns[0]);
		warm();
		before = beside;
		USDT_PLACE(pstat_test, warm, 0);
		after = beside;
		if (has_calls)
			getpriority(PRIO_PROCESS, 0);
		run_between(turns[1], in_child);
		if (has_calls)
			sched_get_priority_max(SCHED_FIFO);
		least += beside - after;
		USDT_PLACE(pstat_test, done, 0);
		most += beside - before;
		done();
		run(turns[2]);
	}
	is_over = true;
	if (!has_thread)
		return 0;
	pthread_join(thread, NULL);
	printf("%lu %lu\n", least, most);
	return 0;
}
