// SPDX-License-Identifier: GPL-2.0-only
/*
 * first: runs a command with real-time priority, so that no ordinary task can run on its CPU
 * between two steps of the command. Processes that the command forks have normal priority.
 *
 *	first COMMAND [ARG...]
 */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const struct sched_param param = { .sched_priority = 50 };

	if (argc < 2) {
		fprintf(stderr, "Usage: first COMMAND [ARG...]\n");
		return 2;
	}
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param)) {
		perror("first: sched_setscheduler");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
