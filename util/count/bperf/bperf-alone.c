// SPDX-License-Identifier: GPL-2.0-only
/* Followers without a leader. Only these followers can have points of --start or --stop. */
#include "util/count/bperf/bperf-follower-priv.h"

#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf_skel/gate.h"
#include "bpf_skel/bperf_alone.skel.h"
#include "util/count/bperf/bperf-events.h"
#include "util/count/bperf/bperf-follower-maps.h"
#include "util/count/gate.h"
#include "util/count/share/gate-links.h"

static int prepare(struct bperf_follower *follower, const struct bperf_events *events, int nr_cpus,
		   const struct gate_points *points)
{
	struct bperf_alone_bpf *alone = follower->alone;
	const struct bperf_parts *parts = &follower->parts;
	int err;

	*parts->nr_cpus = (__u32)nr_cpus;
	*parts->nr_rows = (__u32)events->nr;
	*parts->of_pstat = true;
	alone->rodata->gated = points;
	err = bperf_follower__drop_foreign_maps(parts);
	err = err ?: bpf_map__set_max_entries(parts->events, (__u32)(events->nr * nr_cpus));
	err = err   ?:
		      bpf_map__set_value_size(parts->source,
					      (__u32)BPERF_STATE_SIZE((size_t)events->nr));
	err = err   ?:
		      bpf_map__set_value_size(
			      alone->maps.at_point,
			      (__u32)(sizeof(struct bpf_perf_event_value) * (size_t)events->nr));
	err = err ?: bpf_map__set_autocreate(alone->maps.at_point, points);
	err = err ?: bpf_map__set_autocreate(alone->maps.gate_times, points);
	err = err ?: bpf_map__set_autocreate(alone->maps.gate_changed, points);
	return err ?: gate_links__prepare(GATE_PROGRAMS(alone), points);
}

/* Opens the BPF object, prepares it for @events, and loads it. */
static int load(struct bperf_follower *follower, const struct bperf_events *events, int nr_cpus,
		const struct bperf_target *target)
{
	struct bperf_alone_bpf *alone = follower->alone = bperf_alone_bpf__open();
	struct bperf_plan plan[BPERF_MAX_EVENTS];
	int err;

	if (!alone)
		return -errno;
	for (int row = 0; row < events->nr; row++) {
		plan[row] = events->plan[row];
		plan[row].row = (__u8)row;
	}
	follower->parts = BPERF_PARTS(alone);
	follower->main = alone->progs.on_switch;
	err = bperf_follower__prepare(follower, plan, events->nr, target);
	err = err ?: prepare(follower, events, nr_cpus, target->points);
	err = err ?: bperf_alone_bpf__load(alone);
	/*
	 * if memory ran out, libbpf may have omitted the maps for global variables (see load() in
	 * bperf-follower.c)
	 */
	if (!err && (!alone->bss || !alone->rodata || !alone->data_gate))
		err = -ENOMEM;
	if (!err)
		follower->parts = BPERF_PARTS(alone);
	return err;
}

/*
 * Returns whether a follower without a leader has to run at context switches. This is the case if
 * the follower counts tasks or context switches, or has points of --start or --stop. Otherwise,
 * pstat runs the follower only when pstat needs a reading.
 */
static bool needs_switches(const struct bperf_events *events, const struct bperf_target *target)
{
	for (int row = 0; row < events->nr; row++)
		if (events->plan[row].how == BPERF_SWITCHES)
			return true;
	return target->threads || target->points;
}

int bperf_follower__alone(struct bperf_events *events, int nr_cpus,
			  const struct bperf_target *target, struct bperf_follower **out,
			  struct strbuf *why)
{
	const char *step = BPERF_LOADING;
	int err = bperf_follower__new(out, target, why);

	if (!*out)
		return err;
	err = load(*out, events, nr_cpus, target);
	err = err ?: bperf_follower__start(*out, target, &step);
	if (!err) {
		err = bperf_events__hand_over(events, bpf_map__fd((*out)->parts.events), nr_cpus);
		if (err)
			return bperf_follower__fail(out, NULL, err, why);
		bperf_events__hold(events, &(*out)->held);
		step = "attach to the context switch";
		if (needs_switches(events, target))
			err = bperf_follower__keep(*out, bpf_program__attach((*out)->main));
	}
	if (!err && target->points) {
		struct bperf_alone_bpf *alone = (*out)->alone;

		(*out)->points = target->points;
		err = gate_links__attach(GATE_PROGRAMS(alone),
					 bpf_map__fd(alone->maps.gate_changed), target->points,
					 &(*out)->gate, why);
	}
	return err ? bperf_follower__fail(out, step, err, why) : 0;
}

void bperf_alone__detach(struct bperf_follower *follower)
{
	gate_links__free(follower->gate);
	if (follower->points && follower->alone->data_gate)
		gate__report((const struct gate *)&follower->alone->data_gate->gate);
}

void bperf_alone__close(struct bperf_follower *follower)
{
	bperf_alone_bpf__destroy(follower->alone);
}

void bperf_alone__switch(struct bperf_follower *follower, bool on)
{
	struct gate *gate = (struct gate *)&follower->alone->data_gate->gate;

	on ? gate__arm(gate, follower->points) : gate__disarm(gate);
}

const struct gate *bperf_follower__gate(const struct bperf_follower *follower)
{
	return (const struct gate *)&follower->alone->data_gate->gate;
}

int bperf_follower__wake_fd(const struct bperf_follower *follower)
{
	return gate_links__wake_fd(follower->gate);
}

void bperf_follower__drain(struct bperf_follower *follower)
{
	gate_links__drain(follower->gate);
}
