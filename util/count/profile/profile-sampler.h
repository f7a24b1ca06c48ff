/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs that run at each sample (bpf_skel/profile.bpf.c), attached to the open events of
 * a backend group. Links or the events themselves hold the programs, and nothing is pinned, so the
 * kernel removes everything when the process ends, even by SIGKILL.
 */
#ifndef PSTAT_COUNT_PROFILE_SAMPLER_H
#define PSTAT_COUNT_PROFILE_SAMPLER_H

#include <stdbool.h>

struct backend_group;
struct event_fds;
struct profile;
struct profile_sampler;
struct sampling;

/* What is sampled, and whether cookies can identify the events. */
struct sampler_target {
	const struct backend_group *group;
	const struct event_fds *fds;
	bool inherit; /* children have copies of the events, and a copy has no cookie */
};

/*
 * Loads programs for @target and attaches them. @profile has the code of the selected programs, or
 * profile.stacks. -v prints how they were attached.
 */
int profile_sampler__new(const struct sampler_target *target, const struct sampling *sampling,
			 const struct profile *profile, struct profile_sampler **sampler);
/*
 * A callback for event_fds__follow_cpus(). Attaches the program to the events of a CPU that came
 * online, or detaches it from those of a CPU that went offline. @cpu is an index.
 */
int profile_sampler__follow_cpu(struct profile_sampler *sampler, int cpu, bool online);
void profile_sampler__free(struct profile_sampler *sampler);

/* Copies the running totals to the profile. */
int profile_sampler__read(const struct profile_sampler *sampler, struct profile *profile);

#endif
