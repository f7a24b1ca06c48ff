/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Followers of shared counters. A follower is a BPF program that runs after a leader and adds the
 * leader's differences to the totals of the counted tasks. If the kernel does not allow this, one
 * program is both leader and follower.
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

/* The maximum number of children of followed tasks that can exist at the same time. */
#define BPERF_ROOM_FOR_TASKS (256 + 4096)

/* The tasks to count. */
struct bperf_target {
	const struct threadmap *threads; /* NULL: all tasks */
	bool per_thread;		 /* each task has a slot; otherwise all tasks have one */
	bool inherit;			 /* children are counted together with their parents */
	bool from_exec;			 /* the tasks are counted from their exec on */
	/* --start and --stop; NULL without them. Only for bperf_follower__alone() */
	const struct gate_points *points;
};

/*
 * Follows @nr events of @leader; @plan[].row is the row of each event. Returns without a reason:
 * -EUSERS if the kernel does not allow more followers of @leader, and -EOPNOTSUPP if the kernel
 * cannot run a program after another one.
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

/* Returns the gate. Only with points. */
const struct gate *bperf_follower__gate(const struct bperf_follower *follower);
/*
 * Returns an fd that becomes readable when a point changes the gate. Call bperf_follower__drain()
 * then.
 */
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
 * Returns the fd of a per-CPU map that contains a struct bperf_state and its rows. Only for a
 * follower without a leader.
 */
int bperf_follower__state_fd(const struct bperf_follower *follower);
/* Describes a follower without a leader as a reader of events. The follower still owns the fds. */
struct bperf_reader bperf_follower__reader(struct bperf_follower *follower);
/* Returns the number of tasks that could not be followed. */
uint64_t bperf_follower__lost(const struct bperf_follower *follower);
/* Returns how often the kernel skipped a program that sees tasks begin and end. */
uint64_t bperf_follower__skipped(const struct bperf_follower *follower);

#endif
