// SPDX-License-Identifier: GPL-2.0-only
/*
 * access: accesses memory an exact number of times.
 *
 *	access STORES LOADS CALLS WRITES
 *	    stores to `watched` STORES times, loads from it LOADS times, calls `watched_call`
 *	    CALLS times, and writes an empty string to standard output WRITES times
 *	access hold
 *	    prints the addresses of `watched` and `watched_call`. Then reads lines STORES LOADS
 *	    CALLS WRITES FAULTS from standard input. For each line, does the same as above,
 *	    causes FAULTS page faults, and answers "done".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

volatile long watched;
volatile char watched_byte;
volatile short watched_many[4];
_Alignas(8) volatile char watched_three[3];
_Alignas(32) volatile char watched_large[32];

/* gcc may call a copy of the function instead of the function; clang makes no such copies */
#ifdef __clang__
#define ONE_COPY __attribute__((noinline))
#else
#define ONE_COPY __attribute__((noinline, noclone))
#endif

ONE_COPY void watched_call(void);

void watched_call(void)
{
	__asm__ volatile("" ::: "memory");
}

#define NR_NUMBERS 5

static void run(const unsigned long numbers[NR_NUMBERS], volatile char *page)
{
	for (unsigned long i = 0; i < numbers[0]; i++)
		watched = (long)i;
	for (unsigned long i = 0; i < numbers[1]; i++)
		(void)watched;
	for (unsigned long i = 0; i < numbers[2]; i++)
		watched_call();
	for (unsigned long i = 0; i < numbers[3]; i++)
		if (write(STDOUT_FILENO, "", 0))
			exit(1);
	for (unsigned long i = 0; i < numbers[4]; i++) {
		madvise((void *)page, 1, MADV_DONTNEED);
		*page = 1;
	}
}

static void hold(volatile char *page)
{
	unsigned long n[NR_NUMBERS];

	printf("%p %p\n", (void *)&watched, (void *)watched_call);
	fflush(stdout);
	while (scanf("%lu %lu %lu %lu %lu", &n[0], &n[1], &n[2], &n[3], &n[4]) == NR_NUMBERS) {
		run(n, page);
		puts("done");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	volatile char *page =
		mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long numbers[NR_NUMBERS] = { 0 };

	if (page == MAP_FAILED)
		return 1;
	*page = 1;
	if (argc == 2 && !strcmp(argv[1], "hold")) {
		hold(page);
	} else if (argc == NR_NUMBERS) {
		for (int i = 1; i < argc; i++)
			numbers[i - 1] = strtoul(argv[i], NULL, 10);
		run(numbers, page);
	} else {
		fprintf(stderr, "Usage: access STORES LOADS CALLS WRITES | access hold\n");
		return 2;
	}
	return 0;
}
