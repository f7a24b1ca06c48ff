/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs that are run at each sample (bpf_skel/profile.bpf.c), attached to the open events of a backend group. They are held
 * by links, or by the events themselves, and nothing is pinned: all of it is gone when the process ends, however it ends.
 */
#ifndef PSTAT_COUNT_PROFILE_SAMPLER_H
#define PSTAT_COUNT_PROFILE_SAMPLER_H

#include <stdbool.h>

struct backend_group;
struct event_fds;
struct profile;
struct profile_sampler;
struct sampling;

/* What is sampled: events, where they are open, and for how many of them a cookie may tell which it is. */
struct sampler_target {
	const struct backend_group *group;
	const struct event_fds *fds;
	bool inherit; /* children of tasks have copies of the events, and a copy has no cookie */
};

/*
 * Loads programs for @target and attaches them; @profile has the code of the chosen programs, or else profile.stacks. -v tells how
 * they were attached. 0 and *@sampler, or -errno, told.
 */
int profile_sampler__new(const struct sampler_target *target, const struct sampling *sampling,
			 const struct profile *profile, struct profile_sampler **sampler);
/*
 * A callback for event_fds__follow_cpus(). Attaches the program to the events of a CPU that came online, or detaches
 * it from those of a CPU that went offline. @cpu is an index. Returns 0, or -errno after logging the reason.
 */
int profile_sampler__follow_cpu(struct profile_sampler *sampler, int cpu, bool online);
void profile_sampler__free(struct profile_sampler *sampler);

/* Takes the running totals over. 0 or -errno, told. */
int profile_sampler__read(const struct profile_sampler *sampler, struct profile *profile);

#endif
