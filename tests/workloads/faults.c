// SPDX-License-Identifier: GPL-2.0-only
/*
 * faults N: causes exactly N more page faults, and N more madvise(2) calls, than `faults 0`.
 *
 *	faults N
 *	faults --pause MS N
 *	    also sleeps for MS milliseconds after each tenth of the N faults
 *	faults --children K N
 *	    K child processes, one after the other, cause N faults each; the parent causes none
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Gives a page back to the kernel and touches it again. Each iteration causes exactly one fault. */
static void take(volatile char *page, unsigned long n)
{
	while (n--) {
		madvise((void *)page, 1, MADV_DONTNEED);
		*page = 1;
	}
}

static void take_with_pauses(volatile char *page, unsigned long n, unsigned long pause_ms)
{
	struct timespec pause = { .tv_sec = pause_ms / 1000, .tv_nsec = pause_ms % 1000 * 1000000 };

	for (unsigned long done = 0, i = 1; i <= 10; i++) {
		take(page, n * i / 10 - done);
		done = n * i / 10;
		nanosleep(&pause, NULL);
	}
}

static void take_in_child(volatile char *page, unsigned long n)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		take(page, n);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		perror("faults: child");
		exit(1);
	}
}

static unsigned long parse_number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-') {
		fprintf(stderr, "faults: no number: %s\n", text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *option = argc == 4 ? argv[1] : "";

	if (page == MAP_FAILED) {
		perror("faults: mmap");
		return 1;
	}
	*page = 1;
	if (argc == 2) {
		take(page, parse_number(argv[1]));
	} else if (!strcmp(option, "--pause")) {
		take_with_pauses(page, parse_number(argv[3]), parse_number(argv[2]));
	} else if (!strcmp(option, "--children")) {
		for (unsigned long i = parse_number(argv[2]); i; i--)
			take_in_child(page, parse_number(argv[3]));
	} else {
		fprintf(stderr, "Usage: faults [--pause MS | --children K] N\n");
		return 2;
	}
	return 0;
}
