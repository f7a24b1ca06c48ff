// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin: keeps a CPU busy in user space. A turn has exactly two instructions with every compiler.
 *
 *	spin TURNS
 *	    `spin 2000000` executes two million instructions more than `spin 1000000`
 *	spin --ms MS
 *	    spins until it has used MS milliseconds of CPU time, and prints `turns N`
 *	spin --nap US TURNS
 *	    alternately sleeps for US microseconds and spins for TURNS turns, forever
 */
#include <string.h>
#include <time.h>

#include "tests/workloads/spin.h"

static unsigned long cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000UL + ts.tv_nsec / 1000000;
}

static void spin_ms(unsigned long ms)
{
	unsigned long turns;

	for (turns = 0; cpu_ms() < ms; turns += 100000)
		spin(100000);
	printf("turns %lu\n", turns);
}

static void __attribute__((noreturn)) nap(unsigned long us, unsigned long turns)
{
	const struct timespec pause = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };

	for (;;) {
		nanosleep(&pause, NULL);
		spin(turns);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && argv[1][0] != '-') {
		spin(parse_number("spin", argv[1]));
	} else if (argc == 3 && !strcmp(argv[1], "--ms")) {
		spin_ms(parse_number("spin", argv[2]));
	} else if (argc == 4 && !strcmp(argv[1], "--nap")) {
		nap(parse_number("spin", argv[2]), parse_number("spin", argv[3]));
	} else {
		fprintf(stderr, "Usage: spin TURNS | spin --ms MS | spin --nap US TURNS\n");
		return 2;
	}
	return 0;
}
