// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend of `pstat profile`. It opens events in the same way as the backend in util/count/fd/,
 * and attaches a BPF program that runs at each sample. profile.h declares the input and the
 * results.
 *
 *	profile-sampler
 *	    the BPF programs that run at each sample
 *	sample-table
 *	    a copy of the map in which these programs store the samples
 *	profile-gate
 *	    with --start or --stop: the BPF programs at the points that these options name
 *	profile-progs
 *	    with -b: the BPF programs that are sampled, and their code
 *	profile-stacks
 *	    without -b: stacks, and the mapped files that contain the code of their frames
 *	mapping-events, mapping-records
 *	    the kernel's records of mapped files, of processes, and of BPF programs
 *	record-rings, record-queue
 *	    read these records from ring buffers, and sort them by time
 */
#include <errno.h>
#include <stdlib.h>

#include "perf-sys.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/gate.h"
#include "util/count/measurement.h"
#include "util/count/profile/profile-gate.h"
#include "util/count/profile/profile-progs.h"
#include "util/count/profile/profile-sampler.h"
#include "util/count/profile/profile-stacks.h"
#include "util/count/profile/profile.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/threadmap.h"

struct profile_group {
	/* also in group->kept, because the results are used even after the group is closed */
	struct profile *profile;
	struct event_fds *fds;
	struct profile_sampler *sampler;
	struct profile_gate *gate; /* NULL without --start or --stop */
};

static int probe(struct strbuf *why_not)
{
	return bpf_util__probe_perf_event(why_not) ?: backend_fd.probe(why_not);
}

/* Returns the error of the first event that could not be opened, or 0. */
static int expect_open(const struct backend_group *group)
{
	for (int event = 0; event < group->nr; event++) {
		const struct counts *counts = group->counts[event];

		if (!counts->open_err)
			continue;
		return reason__set(group->why, counts->open_err, "no samples can be taken: %s",
				   counts->why_not ?: group->evsels[event]->name);
	}
	return 0;
}

/*
 * Returns the sample type. For a precise event (:p), the kernel refuses a BPF program that calls a
 * helper for stacks, unless the samples of the event also contain the stack (kernel/events/core.c,
 * EPROTO).
 */
static uint64_t sample_type(bool precise)
{
	return precise ? PERF_SAMPLE_CALLCHAIN : 0;
}

static bool is_precise(const struct backend_group *group)
{
	for (int event = 0; event < group->nr; event++)
		if (group->evsels[event]->attr.attr.precise_ip)
			return true;
	return false;
}

struct event_open_how profile__open_how(const struct stat_config *cfg, bool precise)
{
	return (struct event_open_how){
		.disabled = true,
		.enable_on_exec = stat_config__starts_at_exec(cfg),
		.inherit = cfg->inherit && stat_config__per_task(cfg),
		.in_cgroups = true,
		.sample_freq = cfg->sampling->freq,
		.sample_period = cfg->sampling->period,
		.sample_type = sample_type(precise),
	};
}

/* An upper bound for the number of open files of one program and its maps. */
#define FILES_PER_PROGRAM 20
/*
 * Returns an upper bound for the number of files that the sampler opens: a link for each fd of an
 * event, and FILES_PER_PROGRAM for each program.
 */
static uint64_t nr_more_files(const struct backend_group *group)
{
	int nr_cpus = group->threads ? group->cpus->nr : group->online->nr;
	uint64_t places = (uint64_t)nr_cpus * (uint64_t)(group->threads ? group->threads->nr : 1);

	return (uint64_t)group->nr * (places + FILES_PER_PROGRAM);
}

static int open_events(struct backend_group *group, const struct stat_config *cfg)
{
	struct profile_group *priv = group->priv;
	struct event_open_how how = profile__open_how(cfg, is_precise(group));
	int err;

	how.more_files = nr_more_files(group);
	err = event_fds__open(group, &how, &priv->fds);
	return err ?: expect_open(group);
}

static int attach(struct backend_group *group, const struct stat_config *cfg)
{
	struct profile_group *priv = group->priv;
	struct sampler_target target = {
		.group = group,
		.fds = priv->fds,
		.inherit = cfg->inherit && stat_config__per_task(cfg),
		.gate_map = -1,
	};
	int err = 0;

	if (cfg->points) {
		err = profile_gate__new(group, cfg, &priv->gate);
		if (!err)
			target.gate_map = profile_gate__map_fd(priv->gate);
	}
	return err ?: profile_sampler__new(&target, cfg->sampling, priv->profile, &priv->sampler);
}

/*
 * Attaches the programs at the points of --start and --stop. Call this after
 * profile_stacks__watch(): until then, profile_stacks__fd() returns -1. The programs do nothing
 * until enable() arms the gate.
 */
static int attach_points(struct backend_group *group)
{
	struct profile_group *priv = group->priv;
	const struct profile_stacks *stacks = priv->profile->stacks;
	int err;

	if (!priv->gate)
		return 0;
	err = profile_gate__attach(priv->gate, group, stacks ? profile_stacks__fd(stacks) : -1);
	if (!err)
		*group->gate = profile_gate__gate(priv->gate);
	return err;
}

static int open_group(struct backend_group *group, const struct stat_config *cfg)
{
	struct profile_group *priv = calloc(1, sizeof(*priv));
	struct profile *profile = profile__new(cfg->sampling, group->nr);
	int err = priv && profile ? 0 : -ENOMEM;

	profile__free(group->kept);
	group->priv = priv;
	group->kept = profile;
	group->measurement->profile = profile;
	if (priv)
		priv->profile = profile;
	if (profile)
		profile->gated = cfg->points;
	if (!err && cfg->sampling->progs)
		err = profile_progs__find(cfg->sampling->progs, &profile->progs, group->why);
	else if (!err)
		err = profile_stacks__new(cfg->sampling, &profile->stacks);
	err = err ?: open_events(group, cfg);
	err = err ?: attach(group, cfg);
	/* call this after attach(): warnings about mappings matter only if samples can be taken */
	if (!err && profile->stacks)
		err = profile_stacks__watch(profile->stacks, cfg, group->why);
	return err ?: attach_points(group);
}

static int enable(struct backend_group *group)
{
	struct profile_group *priv = group->priv;
	int err = event_fds__enable(priv->fds);

	if (!err)
		profile_gate__arm(priv->gate);
	return err;
}

static int at_exec(struct backend_group *group, pid_t pid)
{
	struct profile_group *priv = group->priv;

	return event_fds__move_breakpoints(priv->fds, pid);
}

static int follow_cpu(void *ctx, int cpu, bool online)
{
	struct profile_group *priv = ctx;

	return profile_sampler__follow_cpu(priv->sampler, cpu, online);
}

static int cpus_changed(struct backend_group *group, const struct cpumap *online)
{
	struct profile_group *priv = group->priv;
	struct profile_stacks *stacks = priv->profile->stacks;
	int err = event_fds__follow_cpus(priv->fds, online, follow_cpu, priv);

	return err ?: stacks ? profile_stacks__follow_cpus(stacks, online) : 0;
}

static int wake_fd(const struct backend_group *group)
{
	const struct profile_group *priv = group->priv;
	const struct profile *profile = priv->profile;

	if (priv->gate)
		return profile_gate__wake_fd(priv->gate);
	return profile->stacks ? profile_stacks__fd(profile->stacks) : -1;
}

static int tend(struct backend_group *group)
{
	const struct profile_group *priv = group->priv;
	struct profile_stacks *stacks = priv->profile->stacks;

	return stacks ? profile_stacks__serve(stacks) : 0;
}

static int serve(struct backend_group *group)
{
	const struct profile_group *priv = group->priv;

	profile_gate__drain(priv->gate);
	return tend(group);
}

static int read_group(struct backend_group *group)
{
	struct profile_group *priv = group->priv;
	int err = event_fds__read(priv->fds);

	err = err ?: profile_sampler__read(priv->sampler, priv->profile);
	return err ?: priv->profile->stacks ? profile_stacks__complete(priv->profile->stacks) : 0;
}

static void mark(struct backend_group *group)
{
	profile__mark(group->kept);
}

static int disable(struct backend_group *group)
{
	struct profile_group *priv = group->priv;

	profile_gate__disarm(priv->gate);
	return event_fds__disable(priv->fds);
}

static void close_group(struct backend_group *group)
{
	struct profile_group *priv = group->priv;

	*group->gate = NULL;
	if (!priv)
		return;
	/*
	 * detach the programs at the points first, so that they cannot open the gate while the
	 * sampler is being freed
	 */
	profile_gate__free(priv->gate);
	profile_sampler__free(priv->sampler);
	event_fds__close(priv->fds);
	free(priv);
	group->priv = NULL;
}

static void free_group(struct backend_group *group)
{
	profile__free(group->kept);
}

/*
 * Without -b, tend() must be called often: it opens some mapped files through /proc/PID, which
 * vanishes with the process.
 */
static bool needs_tending(const struct stat_config *cfg)
{
	return !cfg->sampling->progs;
}

const struct counter_backend backend_profile = {
	.name = "profile",
	.needs_online = true,
	.probe = probe,
	.open = open_group,
	.enable = enable,
	.at_exec = at_exec,
	.wake_fd = wake_fd,
	.serve = serve,
	.needs_tending = needs_tending,
	.tend = tend,
	.cpus_changed = cpus_changed,
	.read = read_group,
	.disable = disable,
	.close = close_group,
	.mark = mark,
	.free = free_group,
};
