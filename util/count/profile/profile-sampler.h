/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs that run at each sample (bpf_skel/profile.bpf.c). They are attached to the open
 * events of a struct backend_group. Nothing is pinned: only pstat's fds (of programs, links and
 * events) keep the programs alive. So the kernel frees everything when pstat ends, even if pstat is
 * killed.
 */
#ifndef PSTAT_COUNT_PROFILE_SAMPLER_H
#define PSTAT_COUNT_PROFILE_SAMPLER_H

#include <stdbool.h>

struct backend_group;
struct event_fds;
struct profile;
struct profile_sampler;
struct sampling;

/* The events to sample. */
struct sampler_target {
	const struct backend_group *group;
	const struct event_fds *fds;
	bool inherit; /* child tasks get copies of the events; these copies have no BPF cookies */
	int gate_map; /* fd of the map with the gate of --start or --stop; -1: no gate */
};

/*
 * Loads the programs for @target and attaches them. @profile->progs or @profile->stacks must
 * already be set. With -v, prints how the programs were attached. Returns 0, or -errno with the
 * reason in @target->group->why.
 */
int profile_sampler__new(const struct sampler_target *target, const struct sampling *sampling,
			 const struct profile *profile, struct profile_sampler **sampler);
/*
 * Attaches the programs to the events of a CPU that came online, or detaches the programs from the
 * events of a CPU that went offline. @cpu is the index of the CPU in group->cpus.
 * event_fds__follow_cpus() calls this function. Returns 0, or -errno with the reason in group->why.
 */
int profile_sampler__follow_cpu(struct profile_sampler *sampler, int cpu, bool online);
void profile_sampler__free(struct profile_sampler *sampler);

/*
 * Copies the samples, their stacks (without -b) and the totals of the events to @profile. Returns
 * 0, or -errno with the reason in group->why.
 */
int profile_sampler__read(const struct profile_sampler *sampler, struct profile *profile);

#endif
