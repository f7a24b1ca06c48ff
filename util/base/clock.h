/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_CLOCK_H
#define PSTAT_BASE_CLOCK_H

#include <stdint.h>

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

struct timeval;

/* Returns the time of CLOCK_MONOTONIC in ns. */
uint64_t clock__now(void);

uint64_t timeval__ns(const struct timeval *tv);

#endif
