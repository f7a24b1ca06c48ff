/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Followers of shared counters. A follower is a program that runs after a leader and adds the
 * leader's differences to the totals of the tasks that are counted. If the kernel does not allow
 * this, one program is leader and follower.
 */
#ifndef PSTAT_COUNT_BPERF_FOLLOWER_H
#define PSTAT_COUNT_BPERF_FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf_skel/bperf.h"
#include "util/count/bperf/bperf-cpus.h"

struct bperf_events;
struct bperf_follower;
struct bperf_leader;
struct gate;
struct gate_points;
struct strbuf;
struct threadmap;

/* The number of tasks that can exist at the same time among the children of followed tasks. */
#define BPERF_ROOM_FOR_TASKS (256 + 4096)

/* The tasks to count. */
struct bperf_target {
	const struct threadmap *threads; /* NULL: all tasks */
	bool per_thread;		 /* one slot for each task, else one for all */
	bool inherit;			 /* children are counted with their parents */
	bool from_exec;			 /* the tasks are counted from their exec on */
	/* --start and --stop; NULL without. Only for bperf_follower__alone() */
	const struct gate_points *points;
};

/*
 * Follows @nr events of @leader; @plan[].row is the row of each. Returns without a reason: -EUSERS
 * if @leader already has all followers that the kernel allows, and -EOPNOTSUPP if the kernel cannot
 * run a program after another one.
 */
int bperf_follower__follow(const struct bperf_leader *leader, const struct bperf_plan *plan, int nr,
			   const struct bperf_target *target, struct bperf_follower **follower,
			   struct strbuf *why);
/*
 * Makes a follower that reads @events itself and adds up their counts. @nr_cpus is the largest
 * possible CPU id + 1.
 */
int bperf_follower__alone(struct bperf_events *events, int nr_cpus,
			  const struct bperf_target *target, struct bperf_follower **follower,
			  struct strbuf *why);
/* Frees the follower, which may be NULL. */
void bperf_follower__close(struct bperf_follower *follower);

/* Starts or stops adding differences, at the next reading of each CPU. */
void bperf_follower__switch(struct bperf_follower *follower, bool on);

/* With points: */
const struct gate *bperf_follower__gate(const struct bperf_follower *follower);
/* An fd that is readable when a point has changed the gate, until bperf_follower__drain(). */
int bperf_follower__wake_fd(const struct bperf_follower *follower);
void bperf_follower__drain(struct bperf_follower *follower);

/*
 * Reads the totals of a slot. @values has @nr readings for each possible CPU. Returns 0 or -errno.
 */
int bperf_follower__read(const struct bperf_follower *follower, int slot,
			 struct bpf_perf_event_value *values);

/* Returns the fd of on_switch. Only for a follower without a leader. */
int bperf_follower__prog_fd(const struct bperf_follower *follower);
/*
 * Returns the fd of a per-CPU map with struct bperf_state and rows. Only for a follower without a
 * leader.
 */
int bperf_follower__state_fd(const struct bperf_follower *follower);
/*
 * Returns a follower that has no leader as the reader of its own events. The follower keeps
 * ownership of the fds.
 */
struct bperf_reader bperf_follower__reader(struct bperf_follower *follower);
/* Returns the number of tasks that could not be followed. */
uint64_t bperf_follower__lost(const struct bperf_follower *follower);
/* Returns how often the kernel skipped a program that follows new and ending tasks. */
uint64_t bperf_follower__skipped(const struct bperf_follower *follower);

#endif
