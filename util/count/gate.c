// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/gate.h"

#include <sched.h>

#include "util/base/clock.h"
#include "util/base/log.h"

uint64_t gate__time(const struct gate *gate)
{
	return gate_time_of(__atomic_load_n(&gate->clock, __ATOMIC_RELAXED), clock__now());
}

/*
 * The maximum number of times that lock() tries to take the lock. A BPF program usually holds the
 * lock for a few µs, but holds it for longer if its thread loses the CPU.
 */
#define TRIES 1000

/*
 * Takes the lock and returns true. Returns false if another thread holds the lock for too long, for
 * example because that thread has lost its CPU. The caller then continues without the lock.
 * gate__disarm() can do so safely, because it clears `armed` before it closes the gate, and
 * gate_turn() (bpf_skel/gate.bpf.h) leaves the gate open only if `armed` is set. For
 * gate__drop_runs(), see the comment there. gate__arm() usually gets the lock, because BPF programs
 * do not try to take it while the gate is not armed.
 */
static bool lock(struct gate *gate)
{
	for (int i = 0; i < TRIES; i++) {
		__u32 unlocked = 0;

		if (__atomic_compare_exchange_n(&gate->lock, &unlocked, 1, false, __ATOMIC_SEQ_CST,
						__ATOMIC_RELAXED))
			return true;
		sched_yield();
	}
	return false;
}

static void unlock(struct gate *gate, bool locked)
{
	if (locked)
		__atomic_store_n(&gate->lock, 0, __ATOMIC_SEQ_CST);
}

void gate__arm(struct gate *gate, const struct gate_points *points)
{
	bool locked = lock(gate);
	uint64_t now = clock__now();

	if (!gate->armed && !points->nr_start) {
		gate->since = now;
		gate->clock = GATE_CLOCK(now - gate_time_of(gate->clock, now), 1);
		gate->phase = ++gate->opened + 1;
	}
	gate->armed = 1;
	unlock(gate, locked);
}

void gate__disarm(struct gate *gate)
{
	bool locked = lock(gate);

	__atomic_store_n(&gate->armed, 0, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&gate->phase, __ATOMIC_SEQ_CST)) {
		gate->clock = GATE_CLOCK(gate_time_of(gate->clock, clock__now()), 0);
		gate->phase = 0;
		gate->closed++;
	}
	unlock(gate, locked);
}

void gate__drop_runs(struct gate *gate)
{
	bool locked = lock(gate);
	uint32_t phase = __atomic_load_n(&gate->phase, __ATOMIC_SEQ_CST);

	/* if lock() failed, a BPF program may be closing the gate; if so, leave it closed */
	if (phase)
		__atomic_compare_exchange_n(&gate->phase, &phase, ++gate->opened + 1, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	unlock(gate, locked);
}

void gate__limit_times(uint64_t open_ns, uint64_t *enabled, uint64_t *running)
{
	if (*enabled <= open_ns)
		return;
	if (*running == *enabled)
		*running = open_ns;
	else
		*running = (uint64_t)((double)*running * (double)open_ns / (double)*enabled);
	*enabled = open_ns;
}

void gate__report(const struct gate *gate)
{
	if (gate->inexact)
		pr_warn("%u times, a thread passed a point of --start or --stop while the counters "
			"or the gate were in use: pstat estimated the counts there from the time, "
			"or ignored the point",
			gate->inexact);
}
