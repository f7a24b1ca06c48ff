// SPDX-License-Identifier: GPL-2.0-only
/* Measures the time of a session that counts between the points of --start and --stop. */
#include <stddef.h>

#include "util/count/gate.h"
#include "util/count/groups.h"
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
