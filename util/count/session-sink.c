// SPDX-License-Identifier: GPL-2.0-only
/* Reads the counts of a session and passes them to its sink. */
#include "util/base/clock.h"
#include "util/count/groups.h"
#include "util/count/measurement.h"
#include "util/count/session-priv.h"
#include "util/count/stat-config.h"

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
