// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/clock.h"

#include <time.h>

uint64_t clock__now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}
