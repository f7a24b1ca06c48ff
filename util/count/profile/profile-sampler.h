/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs that run at each sample (bpf_skel/profile.bpf.c), attached to the open events of
 * a backend group. Links, or the events themselves, hold the programs, and nothing is pinned. So
 * the kernel frees everything when the process ends, even if it is killed.
 */
#ifndef PSTAT_COUNT_PROFILE_SAMPLER_H
#define PSTAT_COUNT_PROFILE_SAMPLER_H

#include <stdbool.h>

struct backend_group;
struct event_fds;
struct profile;
struct profile_sampler;
struct sampling;

/* The events to sample, and whether cookies can identify them. */
struct sampler_target {
	const struct backend_group *group;
	const struct event_fds *fds;
	bool inherit; /* children have copies of the events, which have no cookies */
	int gate_map; /* the map of the gate of --start and --stop; -1: samples are always taken */
};

/*
 * Loads programs for @target and attaches them. @profile contains either the code of the selected
 * programs or `stacks`. With -v, prints how they were attached.
 */
int profile_sampler__new(const struct sampler_target *target, const struct sampling *sampling,
			 const struct profile *profile, struct profile_sampler **sampler);
/*
 * An event_fds_cpu_fn: attaches the program to the events of a CPU that came online, or detaches it
 * from those of a CPU that went offline. @cpu is an index.
 */
int profile_sampler__follow_cpu(struct profile_sampler *sampler, int cpu, bool online);
void profile_sampler__free(struct profile_sampler *sampler);

/* Copies the running totals to the profile. */
int profile_sampler__read(const struct profile_sampler *sampler, struct profile *profile);

#endif
