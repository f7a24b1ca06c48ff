/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `pstat profile` asks of a count (struct sampling, in the stat_config), and what comes of it (struct profile): samples by where
 * they fell, and what became of all samples. backend-profile fills it whenever the session reads.
 *
 *	perf events ──► BPF program at each sample ──► map ──► sample_table        (profile-sampler)
 *	stacks ──► ids ──► map ──► profile_stacks, with the files that processes have mapped
 *	-b ──► programs ──► code: functions, lines (profile-progs) ──► ranges ──┘
 */
#ifndef PSTAT_COUNT_PROFILE_H
#define PSTAT_COUNT_PROFILE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf_skel/profile.h"

struct profile_progs;
struct profile_stacks;
struct prog_selection;
struct sample_table;

struct sampling {
	uint64_t freq;			    /* samples a second of each event on each CPU or thread, or … */
	uint64_t period;		    /* a sample each so many counts; one of both is 0 */
	uint32_t map_size;		    /* places that can be told apart: addresses, or those with their stacks */
	uint32_t stack_map_size;	    /* … and stacks of each kind, the kernel's and users', without progs */
	const char *debug_dirs;		    /* where debug files of users' programs are: "/usr/lib/debug:…" */
	bool by_ioctl;			    /* attach without links, as old kernels have to */
	const struct prog_selection *progs; /* only samples in these BPF programs and in what they call; NULL: all */
	struct profile *profile;	    /* to be filled */
};

/* Of an event, all in all since the start. */
struct profile_event {
	struct profile_fate fate;
	struct profile_stack_fate stacks;
	struct profile_times
		times; /* of all CPUs, each at its last sample; zero where the kernel does not tell (children are counted too) */
};

struct profile {
	/* keys: struct profile_frames with sampling.progs, else struct profile_stack_key; NULL before it is opened */
	struct sample_table *samples;
	int nr_events;
	struct profile_event *total;   /* [event] */
	struct profile_event *mark;    /* … when an interval began */
	struct profile_stacks *stacks; /* without sampling.progs: what the ids in the keys stand for */
	struct profile_progs *progs;   /* with sampling.progs: those chosen, and their code as it was at the start */
};

/* Tables for @nr_events. 0 or -ENOMEM. */
int profile__init(struct profile *profile, const struct sampling *sampling, int nr_events);
/* It may be zeroed. */
void profile__free(struct profile *profile);

/* The end of an interval. */
void profile__mark(struct profile *profile);
/* total - mark. */
struct profile_event profile__delta(const struct profile *profile, int event);

#endif
