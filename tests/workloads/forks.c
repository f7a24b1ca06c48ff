// SPDX-License-Identifier: GPL-2.0-only
/*
 * forks: processes that fork and end, each a known amount of work.
 *
 *	forks TURNS
 *	    50 processes in three levels, each of which spins that often (see spin.h): the first
 *	    forks 7, each of these 6, and each waits for its own; all children are there before
 *	    their parent spins
 *	forks --forever TURNS
 *	    tree after tree, for ever: the first process is the same in all
 *	forks --fast N
 *	    N children one after the other as fast as it can, each of which ends at once
 */
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/workloads/spin.h"

#define LEVELS 3

/* Children of a process at each level: 1 + 7 + 7 * 6 processes are 50. */
static const int children[LEVELS] = { 7, 6, 0 };

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "forks: ");
	perror(what);
	_exit(1);
}

static void wait_for_child(void)
{
	int status;

	if (wait(&status) < 0)
		die("wait");
	if (status) {
		fprintf(stderr, "forks: a child failed: status %#x\n", status);
		_exit(1);
	}
}

static void tree(int level, unsigned long turns)
{
	for (int i = 0; i < children[level]; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			tree(level + 1, turns);
			_exit(0);
		}
	}
	spin(turns);
	for (int i = 0; i < children[level]; i++)
		wait_for_child();
}

static void fast(unsigned long nr)
{
	while (nr--) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0)
			_exit(0);
		wait_for_child();
	}
}

int main(int argc, char **argv)
{
	const char *option = argc == 3 ? argv[1] : "";
	bool forever = !strcmp(option, "--forever");

	if (!strcmp(option, "--fast")) {
		fast(parse_number("forks", argv[2]));
	} else if (forever || (argc == 2 && argv[1][0] != '-')) {
		unsigned long turns = parse_number("forks", argv[argc - 1]);

		do
			tree(0, turns);
		while (forever);
	} else {
		fprintf(stderr, "Usage: forks TURNS | forks --forever TURNS | forks --fast N\n");
		return 2;
	}
	return 0;
}
