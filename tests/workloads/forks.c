// SPDX-License-Identifier: GPL-2.0-only
/*
 * forks: processes that fork and end, each with a known amount of work.
 *
 *	forks TURNS
 *	    50 processes in three levels, each of which spins for TURNS turns (see spin.h): the
 *	    first forks 7, and each of these forks 6. Each process waits for its children. All
 *	    children exist before their parent spins.
 *	forks --forever TURNS
 *	    forks tree after tree, forever; the first process is the same in all trees
 *	forks --fast N
 *	    forks N children one after the other as fast as possible; each ends immediately
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
