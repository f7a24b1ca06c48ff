// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin: keeps a CPU busy in user space, with exactly two instructions a turn whatever the compiler.
 *
 *	spin TURNS	`spin 2000000` executes two million instructions more than `spin 1000000`
 *	spin --ms MS	until that much CPU time is used, and prints `turns N`
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void spin(unsigned long turns)
{
	if (!turns)
		return;
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#else
#error "say in this architecture's assembly how to count @turns down in two instructions a turn"
#endif
}

static unsigned long cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000UL + ts.tv_nsec / 1000000;
}

static unsigned long parse_number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-') {
		fprintf(stderr, "spin: no number: %s\n", text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	if (argc == 2 && argv[1][0] != '-') {
		spin(parse_number(argv[1]));
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--ms")) {
		const unsigned long end = parse_number(argv[2]);
		unsigned long turns;

		for (turns = 0; cpu_ms() < end; turns += 100000)
			spin(100000);
		printf("turns %lu\n", turns);
		return 0;
	}
	fprintf(stderr, "Usage: spin TURNS | spin --ms MS\n");
	return 2;
}
