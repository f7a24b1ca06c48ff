// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope-cost WHAT: passes two points with nothing between them, so the measured time is the cost of
 * the points. Prints `ready`. Then answers each line `time N B` from standard input with `runs N ns
 * T...`: B numbers T, each the mean time of N passes in ns. WHAT is one of:
 *
 *	usdt	the USDT points pstat_test:begin and pstat_test:end
 *	call	a call to the function handle()
 *	getppid	the system call
 */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/workloads/usdt.h"

USDT_BASE();

/* Like most functions, handle() begins with a push on x86-64, which the kernel emulates. */
#ifdef __aarch64__
asm(".text\n.globl handle\n.type handle, %function\n"
    "handle: mov x9, x30\n"
    "ret\n"
    ".size handle, . - handle\n");
#else
asm(".text\n.globl handle\n.type handle, @function\n"
    "handle: push %rbp\n"
    "pop %rbp\n"
    "ret\n"
    ".size handle, . - handle\n");
#endif

void handle(void);

static void __attribute__((noinline)) pass_usdt(void)
{
	USDT_PLACE(pstat_test, begin, 0);
	USDT_PLACE(pstat_test, end, 0);
}

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

static const struct {
	const char *name;
	void (*pass)(void);
} kinds[] = {
	{ "usdt", pass_usdt },
	{ "call", handle },
	{ "getppid", call_getppid },
};

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static unsigned long long time_passes(void (*pass)(void), unsigned long n)
{
	const unsigned long long start = now_ns();

	while (n--)
		pass();
	return now_ns() - start;
}

static int answer(void (*pass)(void))
{
	unsigned long n, times;
	char line[64];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "time %lu %lu", &n, &times) != 2 || !n) {
			fprintf(stderr, "scope-cost: cannot do this: %s", line);
			return 2;
		}
		printf("runs %lu ns", n);
		while (times--)
			printf(" %llu", time_passes(pass, n) / n);
		putchar('\n');
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name))
			return answer(kinds[i].pass);
	fputs("Usage: scope-cost usdt|call|getppid\n", stderr);
	return 2;
}
