// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared counters (--bpf-counters, modifier b): all sessions that count the same event use the same
 * perf events, one for each CPU. A leader is a BPF program that reads these perf events at each
 * context switch. A follower is a BPF program of one session. The follower runs after the leader,
 * and adds the differences between the leader's readings to the totals of the session's tasks. A
 * session that counts CPUs uses the totals that pstat's leaders keep. It needs followers only for
 * leaders that perf made, because such leaders keep no totals. A unit is a leader, together with
 * the events that the leader reads for one session.
 *
 *	evsels ─► pinned map: a leader? ─► units ─┬─ tasks: follower ─► its totals ─┐
 *	          └─ no: perf fds ─► new leader ──┘  └─ CPUs: the leader's totals ──┴─► counts
 *
 *	bperf-share
 *	    finds the leaders of all events through attr-map (the pinned map), or makes new leaders
 *	bperf-rest
 *	    the events that no leader reads yet
 *	bperf-unit
 *	    units, made of bperf-leader, bperf-events and bperf-follower
 *	bperf-kept
 *	    leaders that stay open between two repetitions of -r
 *	bperf-alone
 *	    followers without a leader
 *	bperf-follower-maps, bperf-parts, kprobe-event, bpf-tasks
 *	    helpers of bperf-follower and bperf-alone
 *	bperf-repair
 *	    opens events again on CPUs that were offline, through bperf-cpus
 *	bperf-self
 *	    lets the threads of the calling process read their own counts (self/)
 *
 * If counters cannot be shared, there is a single unit without a leader, and its follower itself
 * reads the events.
 *
 * To make the counts exact, pstat runs the leader on every CPU when counting starts or ends, and
 * before pstat reads the counts. Only the map that lists the leaders is pinned. The kernel frees
 * the links, programs, maps and perf events of a leader when the last session that uses them ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bperf/attr-map.h"
#include "util/count/bperf/bperf-rest.h"
#include "util/count/bperf/bperf-share.h"
#include "util/count/bperf/bperf-unit.h"
#include "util/count/bpf-util.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/* ---- probing the kernel ---- */

/*
 * Checks whether BPF programs can run at context switches. Returns 0, or -errno with the reason in
 * @why_not. If BPF programs can count, but sessions cannot share the counters, returns 0 and adds
 * the reason to @why_not.
 */
static int bperf__probe(struct strbuf *why_not)
{
	struct strbuf why = STRBUF_INIT;
	int err = bpf_util__probe_raw_tp(why_not);

	if (!err && (bperf_share__probe(&why) || bpf_util__probe_trampoline(&why)))
		strbuf__addf(why_not, " (not shared: %s)", why.text);
	strbuf__free(&why);
	return err;
}

/* ---- events that this backend cannot count ---- */

/* Marks @event and all other members of its perf group as unsupported, because of @why. */
static void refuse_group(struct backend_group *group, int event, const char *why)
{
	const struct evsel *refused = group->evsels[event];

	pr_info("%s: %s", refused->name, why);
	for (int i = 0; i < group->nr; i++)
		if (group->evsels[i]->leader == refused->leader)
			counts__set_unsupported(group->counts[i],
						i == event ? -EOPNOTSUPP : -ECANCELED, why);
}

static void refuse_odd_events(struct backend_group *group)
{
	for (int event = 0; event < group->nr; event++) {
		const struct evsel *evsel = group->evsels[event];

		if (evsel->snapshot)
			refuse_group(
				group, event,
				"its value does not count up, so BPF cannot compute differences");
		else if (evsel->is_uncore)
			refuse_group(group, event,
				     "it counts a whole package, and no point starts or stops it");
	}
}

/* ---- open ---- */

/* Opens all events as one unit without a leader. @why is the reason why counters are not shared. */
static int open_alone(struct backend_group *group, const char *why)
{
	struct bperf_group *priv = group->priv;
	struct bperf_unit *unit = bperf_group__add_unit(priv);
	struct bperf_rest rest;
	int err;

	/* release the hardware counters of leaders that the previous repetition kept */
	bperf_kept__close(group);
	if (!unit)
		return -ENOMEM;
	err = bperf_rest__pick(&rest, group, group->threads ? priv->online : group->cpus);
	err = err ?: bperf_rest__open(&rest, NULL);
	for (int row = 0; !err && row < rest.open.nr; row++) {
		int event = rest.numbers[rest.open.events[row]];

		bperf_group__add_event(priv, unit, event, row);
		counts__set_sharing(group->counts[event], SHARING_FAILED, why);
	}
	if (!err && rest.open.nr)
		err = bperf_follower__alone(&rest.open, priv->nr_cpus, &priv->target,
					    &unit->follower, priv->why);
	bperf_rest__free(&rest);
	return err;
}

static int check_user(struct strbuf *why)
{
	struct strbuf why_not = STRBUF_INIT;
	int err = bpf_util__probe_raw_tp(&why_not);

	reason__set(why, err, "counters cannot be read by BPF: %s\n%s, or count without BPF",
		    why_not.text, privileges__bpf_advice(false));
	strbuf__free(&why_not);
	return err;
}

/*
 * Reports that counters are not shared: as a warning if the user named the map with --bpf-attr-map,
 * otherwise only with -v.
 */
static void report_not_shared(const char *given_path, const char *why)
{
	if (given_path)
		pr_warn_once("counters are not shared: %s\npstat ignores --bpf-attr-map %s", why,
			     given_path);
	else
		pr_info("counters are not shared: %s", why);
}

/*
 * Opens all events of a session with --start or --stop. The BPF program that reads the counters
 * depends on the session's gate (gate.h), so counters cannot be shared.
 */
static int open_gated(struct backend_group *group, const char *given_path)
{
	static const char why[] = "--start and --stop need counters of their own";
	const struct bperf_group *priv = group->priv;
	struct strbuf why_not = STRBUF_INIT;
	int err = bpf_util__probe_raw_tp(&why_not);

	reason__set(group->why, err, "--start and --stop count through BPF: %s\n%s", why_not.text,
		    privileges__bpf_advice(false));
	strbuf__free(&why_not);
	if (given_path)
		report_not_shared(given_path, why);
	err = err ?: open_alone(group, why);
	if (!err && priv->units->follower)
		*group->gate = bperf_follower__gate(priv->units->follower);
	return err;
}

static int open_units(struct backend_group *group, const char *given_path)
{
	static const char no_trampolines[] =
		"this kernel has no BPF trampolines on this architecture";
	const char *path = given_path ?: ATTR_MAP_PATH;
	struct strbuf why = STRBUF_INIT;
	struct pinned_map map = PINNED_MAP_INIT(&attr_map_kind);
	int err;

	if (bperf_share__probe(&why)) {
		report_not_shared(given_path, why.text);
		err = check_user(group->why);
		err = err ?: open_alone(group, why.text);
	} else if (pinned_map__open(&map, path, &why)) {
		pr_warn_once("counters are not shared: %s", why.text);
		err = open_alone(group, why.text);
	} else {
		pr_info("counters are shared through %s", path);
		err = bperf_share__open(group, &map);
		if (err == -EOPNOTSUPP) {
			report_not_shared(given_path, no_trampolines);
			strbuf__reset(group->why);
			bperf_group__drop_units(group->priv, group->nr);
			err = open_alone(group, no_trampolines);
		}
	}
	pinned_map__close(&map);
	strbuf__free(&why);
	return err;
}

static int find_cpus(struct bperf_group *priv)
{
	int err = cpumap__online(sysroots__host(), &priv->online);

	err = err ?: cpumap__possible(sysroots__host(), &priv->possible);
	if (!err)
		priv->nr_cpus = cpumap__last(priv->possible) + 1;
	return reason__set(priv->why, err, "cannot read the list of CPUs: %s", strerror(-err));
}

static int bperf__open(struct backend_group *group, const struct stat_config *cfg)
{
	struct bperf_group *priv = calloc(1, sizeof(*priv));
	int err;

	group->priv = priv;
	if (priv)
		priv->unit_of = malloc(sizeof(int) * (size_t)group->nr);
	if (!priv || !priv->unit_of)
		return -ENOMEM;
	priv->why = group->why;
	memset(priv->unit_of, -1, sizeof(int) * (size_t)group->nr);
	priv->target = (struct bperf_target){
		.threads = group->threads,
		.per_thread = group->subjects != NULL,
		.inherit = cfg->inherit,
		.from_exec = stat_config__starts_at_exec(cfg),
		.points = cfg->points,
	};
	refuse_odd_events(group);
	err = find_cpus(priv);
	if (!err)
		err = cfg->points ? open_gated(group, cfg->attr_map_path) :
				    open_units(group, cfg->attr_map_path);
	return err ?: bperf_group__alloc(priv);
}

/* ---- other functions ---- */

static int bperf__enable(struct backend_group *group)
{
	return bperf_group__switch(group->priv, true);
}

static int bperf__disable(struct backend_group *group)
{
	return bperf_group__switch(group->priv, false);
}

static int bperf__wake_fd(const struct backend_group *group)
{
	const struct bperf_group *priv = group->priv;
	bool gated = priv && priv->target.points && priv->nr_units && priv->units->follower;

	return gated ? bperf_follower__wake_fd(priv->units->follower) : -1;
}

static void bperf__close(struct backend_group *group)
{
	struct bperf_group *priv = group->priv;

	*group->gate = NULL;
	if (priv) {
		bperf_group__report_faults(priv);
		bperf_group__free(priv);
	}
	group->priv = NULL;
	bperf_kept__close(group);
}

static void bperf__suspend(struct backend_group *group)
{
	struct bperf_group *priv = group->priv;

	if (!priv)
		return;
	if (priv->target.points) {
		bperf__close(group);
		return;
	}
	bperf_group__report_faults(priv);
	/*
	 * if CPUs went offline or came online, kept leaders may lack events on these CPUs, so the
	 * next repetition makes new leaders
	 */
	if (!priv->cpus_changed)
		group->kept = bperf_kept__take(group);
	bperf_group__free(priv);
	group->priv = NULL;
}

const struct counter_backend backend_bperf = {
	.name = "bperf",
	.cpus = CPUS_ALWAYS,
	.threads = THREADS_TOGETHER,
	.by_subject = true,
	.probe = bperf__probe,
	.open = bperf__open,
	.enable = bperf__enable,
	.wake_fd = bperf__wake_fd,
	.serve = bperf_group__serve,
	.cpus_changed = bperf_repair__cpus_changed,
	.read = bperf_group__read,
	.disable = bperf__disable,
	.suspend = bperf__suspend,
	.close = bperf__close,
};
