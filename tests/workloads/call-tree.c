// SPDX-License-Identifier: GPL-2.0-only
/*
 * call-tree: main → a → b, main → c, with a known share of the work in each function. The compiler
 * keeps frame pointers (see the Makefile).
 *
 *	call-tree ROUNDS A B C [COMM]
 *	    executes ROUNDS rounds of A turns in a itself, B in b and C in c, of two instructions
 *	    each. COMM becomes the name of the process.
 *	call-tree --uneven ROUNDS A B C [COMM]
 *	    does the same, but the length of each round is random, within 10 % of the mean. So a
 *	    timer does not interrupt every round at the same place
 *	call-tree --deep N TURNS
 *	    makes N nested calls, then executes TURNS turns: main → deep → deep → …
 *	call-tree --many N TURNS
 *	    executes TURNS turns at each depth from 1 to N, which gives N different stacks
 *	call-tree --exec CPU PROGRAM…
 *	    executes PROGRAM on this CPU
 */
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/workloads/spin.h"

/*
 * Like spin(), but aligned to a cache line. Otherwise, a turn can take twice as long in one
 * function as in another.
 */
static inline void work(unsigned long turns)
{
	if (!turns)
		return;
#if defined(__x86_64__)
	__asm__ volatile(".p2align 6\n1:\tdec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile(".p2align 6\n1:\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#endif
}

/*
 * Each function calls stay() before and after its work. Compilers set up a frame at the first call
 * and remove it after the last call, so the function has a frame while it works.
 */
static void __attribute__((noinline)) stay(void)
{
	__asm__ volatile("" ::: "memory");
}

void b(unsigned long turns);
void a(unsigned long own, unsigned long turns);
void c(unsigned long turns);
void deep(unsigned long depth, unsigned long turns);

void __attribute__((noinline)) b(unsigned long turns)
{
	stay();
	work(turns);
	stay();
}

void __attribute__((noinline)) a(unsigned long own, unsigned long turns)
{
	stay();
	work(own);
	b(turns);
	stay();
}

void __attribute__((noinline)) c(unsigned long turns)
{
	stay();
	work(turns);
	stay();
}

void __attribute__((noinline)) deep(unsigned long depth, unsigned long turns)
{
	stay();
	if (depth > 1)
		deep(depth - 1, turns);
	else
		work(turns);
	stay();
}

/* The size of this round in thousandths. */
static unsigned long size = 1000;

static void choose_size(void)
{
	static unsigned int random = 1;

	random = random * 1103515245 + 12345;
	size = 900 + (random >> 16) % 201;
}

static unsigned long number(const char *text)
{
	return parse_number("call-tree", text) * size / 1000;
}

static int exec_on(unsigned long cpu, char **argv)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (!sched_setaffinity(0, sizeof(cpus), &cpus))
		execv(argv[0], argv);
	perror(argv[0]);
	return 1;
}

int main(int argc, char **argv)
{
	bool uneven = argc > 1 && !strcmp(argv[1], "--uneven");

	argc -= uneven;
	argv += uneven;
	if (argc > 3 && !strcmp(argv[1], "--exec"))
		return exec_on(number(argv[2]), &argv[3]);
	if (argc == 4 && !strcmp(argv[1], "--deep")) {
		deep(number(argv[2]), number(argv[3]));
	} else if (argc == 4 && !strcmp(argv[1], "--many")) {
		for (unsigned long depth = 1; depth <= number(argv[2]); depth++)
			deep(depth, number(argv[3]));
	} else if (argc == 5 || argc == 6) {
		if (argc == 6)
			prctl(PR_SET_NAME, argv[5]);
		for (unsigned long i = number(argv[1]); i; i--) {
			if (uneven)
				choose_size();
			a(number(argv[2]), number(argv[3]));
			c(number(argv[4]));
		}
	} else {
		fprintf(stderr, "Usage: call-tree [--uneven] ROUNDS A B C [COMM] |\n"
				"       call-tree --deep N TURNS | call-tree --many N TURNS |\n"
				"       call-tree --exec CPU PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	return 0;
}
