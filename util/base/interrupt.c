// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/interrupt.h"

#include <signal.h>
#include <stdint.h>

#include "util/base/clock.h"

#define PATIENCE_NS (50 * NSEC_PER_MSEC)

/*
 * since_ns is the time at which a pending signal was first seen, or 0 if no signal is pending. All
 * callers share this time, because the signals are sent to the whole process.
 */
bool interrupt__is_due(void)
{
	static uint64_t since_ns;
	sigset_t pending;
	uint64_t now;

	if (sigpending(&pending) ||
	    (!sigismember(&pending, SIGINT) && !sigismember(&pending, SIGTERM) &&
	     !sigismember(&pending, SIGHUP))) {
		since_ns = 0;
		return false;
	}
	now = clock__now();
	if (!since_ns)
		since_ns = now;
	return now - since_ns >= PATIENCE_NS;
}
