/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_CLOCK_H
#define PSTAT_BASE_CLOCK_H

#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

/* Returns the time of CLOCK_MONOTONIC in ns. */
static inline uint64_t clock__now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock__of_timeval(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NSEC_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

#endif
