// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope-usdt REQUESTS TURNS: handles REQUESTS requests. A request is TURNS turns of a loop of two
 * instructions, between the USDT points pstat_test:begin and pstat_test:end. `begin` has two places
 * in the code, each of which is passed in half of the requests. The point pstat_test:plain, which
 * has no semaphore, is passed before each request. Prints the number of requests in which both
 * semaphores were raised.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/workloads/spin.h"
#include "tests/workloads/usdt.h"

USDT_BASE();
USDT_SEMAPHORE(begin_semaphore);
USDT_SEMAPHORE(end_semaphore);

/* Not inlined, because each copy of this function would contain the places again. */
static void __attribute__((noinline)) handle(unsigned long number, unsigned long turns)
{
	USDT_PLACE(pstat_test, plain, 0);
	if (number % 4 < 2)
		USDT_PLACE(pstat_test, begin, begin_semaphore);
	else
		USDT_PLACE(pstat_test, begin, begin_semaphore);
	spin(turns);
	USDT_PLACE(pstat_test, end, end_semaphore);
}

static unsigned short read_raised(const unsigned short *semaphore)
{
	return *(const volatile unsigned short *)semaphore;
}

int main(int argc, char **argv)
{
	unsigned long requests = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned long turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000, raised = 0;

	for (unsigned long i = 0; i < requests; i++) {
		handle(i, turns);
		raised += read_raised(&begin_semaphore) && read_raised(&end_semaphore);
	}
	printf("%lu\n", raised);
	return 0;
}
