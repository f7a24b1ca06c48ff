/* SPDX-License-Identifier: GPL-2.0-only */
/* A signal that is blocked and pending, as it can be while pstat counts. */
#ifndef TESTS_UNIT_PENDING_SIGNAL_H
#define TESTS_UNIT_PENDING_SIGNAL_H

#include <signal.h>
#include <unistd.h>

#include "util/base/interrupt.h"

static inline void pending_signal__raise(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &mask, NULL), 0);
	assert_int_equal(raise(SIGTERM), 0);
}

/* Waits until the signal makes long work stop. */
static inline void pending_signal__wait_until_due(void)
{
	while (!interrupt__is_due())
		usleep(1000);
}

static inline void pending_signal__take(void)
{
	sigset_t mask;
	int taken;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	assert_int_equal(sigwait(&mask, &taken), 0);
	assert_false(interrupt__is_due());
}

#endif
