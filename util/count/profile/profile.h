/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input of `pstat profile` is struct sampling, to which struct stat_config points. The results
 * are sums of samples, and the totals of each event. They are in struct profile, to which struct
 * measurement points. backend-profile.c owns the results, and updates them whenever the session
 * reads its events.
 *
 *	perf events ──► BPF program at each sample ──► map ──► sample_table        (profile-sampler)
 *	stacks ──► ids ──► map ──► profile_stacks, with the files that processes have mapped
 *	-b ──► programs ──► code: functions, lines (profile-progs) ──► ranges ──► BPF program
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
	/* either freq or period is set; the other one is 0 */
	uint64_t freq;	 /* samples per second, for each event and each CPU or thread */
	uint64_t period; /* how much the event counts from one sample to the next */
	/* the maximum number of different keys (see profile.samples) */
	uint32_t map_size;
	/*
	 * if `progs` is NULL: the number of entries in the map of kernel stacks, and also in the
	 * first map of user stacks
	 */
	uint32_t stack_map_size;
	const char *debug_dirs; /* directories of debug files: "/usr/lib/debug:…" */
	bool by_ioctl;		/* attach programs without links, as on Linux before 5.15 */
	/* sample only these BPF programs, and code that they call; NULL: sample everything */
	const struct prog_selection *progs;
};

/* Totals of an event since the start. */
struct profile_event {
	struct profile_fate fate;
	struct profile_stack_fate stacks;
	/*
	 * the event's times at its latest sample on each CPU, summed over all CPUs; 0 (unknown) if
	 * child tasks have copies of the event, or if profile.gated is set
	 */
	struct profile_times times;
};

struct profile {
	/* keys: struct profile_frames with sampling.progs, otherwise struct profile_stack_key */
	struct sample_table *samples;
	/*
	 * true with --start or --stop: the events always count, but samples that are taken while
	 * the gate (gate.h) is closed are discarded
	 */
	bool gated;
	int nr_events;
	struct profile_event *total; /* [event] */
	struct profile_event *mark;  /* [event]: the totals at the start of the interval */
	/* without sampling.progs: the stacks to which the ids in the keys refer */
	struct profile_stacks *stacks;
	/* with sampling.progs: the selected programs, and their code at the start */
	struct profile_progs *progs;
};

/*
 * Returns how the events of a profile with @cfg are opened. @precise says whether at least one of
 * the events is precise (:p).
 */
struct event_open_how profile__open_how(const struct stat_config *cfg, bool precise);

/* Makes a profile without samples. Returns NULL if memory ran out. */
struct profile *profile__new(const struct sampling *sampling, int nr_events);
/* Frees @profile, which may be NULL. */
void profile__free(struct profile *profile);

/*
 * Starts a new interval: profile__delta() and sample_table__delta() then return the changes since
 * this call.
 */
void profile__mark(struct profile *profile);
/* Returns the totals of an event since profile__mark(). */
struct profile_event profile__delta(const struct profile *profile, int event);

#endif
