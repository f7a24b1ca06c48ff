// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the counts of a session and passes them to its sink. The time of a reading is the time
 * since pstat started to count or, with --start or --stop, the time for which the gate (gate.h) has
 * been open.
 */
#include "util/base/clock.h"

#include <stddef.h>

#include "util/count/gate.h"
#include "util/count/groups.h"
#include "util/count/measurement.h"
#include "util/count/session-priv.h"
#include "util/count/stat-config.h"
#include "util/count/wakeups.h"

uint64_t session__gate_time(const struct session *s)
{
	const struct gate *gate = groups__gate(s->groups);

	return gate ? gate__time(gate) : 0;
}

int session__follow_gate(struct session *s, bool *ended)
{
	const struct gate *gate = groups__gate(s->groups);

	*ended = false;
	if (!gate || !s->cfg->interval_ns)
		return 0;
	*ended = gate->closed != s->stops;
	s->stops = gate->closed;
	if (*ended || !gate->phase) {
		wakeups__stop_ticks(s->wakeups);
		s->ticks = false;
	}
	if (!gate->phase || s->ticks)
		return 0;
	s->ticks = true;
	return wakeups__start_timers(s->wakeups, gate->since, s->cfg->interval_ns, 0);
}

void session__note_stop(struct session *s)
{
	const struct gate *gate = groups__gate(s->groups);

	if (!gate)
		return;
	s->stops = gate->closed;
	wakeups__stop_ticks(s->wakeups);
	s->ticks = false;
}

bool session__has_counted(const struct session *s)
{
	return !s->cfg->points || session__gate_time(s) != s->measurement->time_ns;
}

bool session__has_open_interval(const struct session *s)
{
	return !s->cfg->points || s->measurement->length_ns || !s->measurement->time_ns;
}

int session__take_reading(struct session *s)
{
	struct measurement *m = s->measurement;
	int err = groups__follow_cpus(s->groups);
	uint64_t before = m->time_ns;

	if (err)
		return err;
	m->time_ns = s->cfg->points ? session__gate_time(s) : clock__now() - m->start_ns;
	m->length_ns = m->time_ns - before;
	err = groups__read(s->groups);
	if (!err && s->cfg->reads_lost)
		err = groups__read_lost(s->groups);
	if (!err)
		session_command__find_loss(&s->command);
	return err;
}

int session__hand_over(struct session *s)
{
	int err = s->sink->interval(s->sink->ctx, s->measurement);

	s->sink_failed = err;
	groups__mark(s->groups);
	return err;
}

int session__hand_over_run(void *ctx, const struct outlier *run)
{
	struct session *s = ctx;
	int err = s->sink->run(s->sink->ctx, run);

	s->sink_failed = err;
	return err;
}

int session__serve_interval(struct session *s)
{
	return session__take_reading(s) ?: session__hand_over(s);
}

int session__serve_sink(struct session *s)
{
	int wants = s->sink->wake(s->sink->ctx);
	int err = wants > 0 ? session__take_reading(s) : 0;

	if (err)
		return err;
	err = wants > 0 ? s->sink->reading(s->sink->ctx, s->measurement) : wants;
	s->sink_failed = err;
	return err;
}
