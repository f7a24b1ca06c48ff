/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input of `pstat profile` (struct sampling, in the stat_config) and its results (struct
 * profile, in the measurement): samples by place, and the totals of each event. backend-profile
 * owns the results, and updates them whenever the session reads.
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
#include "util/count/fd/event-fds.h"

struct profile_progs;
struct profile_stacks;
struct prog_selection;
struct sample_table;
struct stat_config;

struct sampling {
	uint64_t freq;	 /* samples per second of each event on each CPU or thread, or 0 */
	uint64_t period; /* counts between two samples, or 0; either freq or period is set */
	/* the maximum number of different places: addresses, or addresses with stacks */
	uint32_t map_size;
	uint32_t
		/*
		 * without progs: the maximum number of different kernel stacks, and of different
		 * user stacks
		 */
		stack_map_size;
	const char *debug_dirs; /* directories of debug files: "/usr/lib/debug:…" */
	bool by_ioctl;		/* attach without links, as on old kernels */
	/* sample only these BPF programs and the code they call; NULL: sample everything */
	const struct prog_selection *progs;
};

/* Totals of an event since the start. */
struct profile_event {
	struct profile_fate fate;
	struct profile_stack_fate stacks;
	/*
	 * the sum over all CPUs of the times at the last sample; 0 if unknown, because children are
	 * counted too
	 */
	struct profile_times times;
};

struct profile {
	/*
	 * the keys are struct profile_frames with sampling.progs, otherwise struct
	 * profile_stack_key; NULL before open
	 */
	struct sample_table *samples;
	/* samples are kept only between --start and --stop; the events count all the time */
	bool gated;
	int nr_events;
	struct profile_event *total; /* [event] */
	struct profile_event *mark;  /* [event]: the totals at the start of the interval */
	/* without sampling.progs: the stacks of the keys */
	struct profile_stacks *stacks;
	struct profile_progs *
		/* with sampling.progs: the selected programs, and their code at the start */
		progs;
};

/*
 * How the events of a profile with @cfg are opened. @precise: an event of its group is precise
 * (:p).
 */
struct event_open_how profile__open_how(const struct stat_config *cfg, bool precise);

/* Returns NULL if memory ran out. */
struct profile *profile__new(const struct sampling *sampling, int nr_events);
/* @profile may be NULL. */
void profile__free(struct profile *profile);

/* Starts a new interval. */
void profile__mark(struct profile *profile);
/* Returns the totals of an event since profile__mark(). */
struct profile_event profile__delta(const struct profile *profile, int event);

#endif
