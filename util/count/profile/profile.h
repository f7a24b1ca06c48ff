/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input of `pstat profile` (struct sampling, in the stat_config) and its results (struct
 * profile, in the measurement): samples by place, and the fate of all samples. backend-profile owns
 * the results, and updates them whenever the session reads.
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
	uint64_t freq;	   /* samples per second of each event on each CPU or thread, or 0 */
	uint64_t period;   /* counts between two samples, or 0; one of both is set */
	uint32_t map_size; /* number of different places: addresses, or addresses with stacks */
	uint32_t
		/* number of different kernel stacks, and of user stacks (without progs) */
		stack_map_size;
	const char *debug_dirs; /* directories of debug files: "/usr/lib/debug:…" */
	bool by_ioctl;		/* attach without links, as on old kernels */
	/* only samples in these BPF programs and what they call; NULL: all */
	const struct prog_selection *progs;
};

/* Totals of an event since the start. */
struct profile_event {
	struct profile_fate fate;
	struct profile_stack_fate stacks;
	/* sum over CPUs, each at its last sample; 0 if unknown (children are counted too) */
	struct profile_times times;
};

struct profile {
	/*
	 * keys: struct profile_frames with sampling.progs, else struct profile_stack_key; NULL
	 * before it is opened
	 */
	struct sample_table *samples;
	int nr_events;
	struct profile_event *total; /* [event] */
	struct profile_event *mark;  /* [event], when the interval began */
	/* without sampling.progs: the stacks of the ids in the keys */
	struct profile_stacks *stacks;
	struct profile_progs *
		/* with sampling.progs: the selected programs, with their code at the start */
		progs;
};

/* Returns NULL without memory. */
struct profile *profile__new(const struct sampling *sampling, int nr_events);
/* @profile may be NULL. */
void profile__free(struct profile *profile);

/* Starts a new interval. */
void profile__mark(struct profile *profile);
/* What was added since profile__mark(). */
struct profile_event profile__delta(const struct profile *profile, int event);

#endif
