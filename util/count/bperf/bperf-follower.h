/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Followers of shared counters. A follower is a BPF program that runs after the leader
 * (bperf-leader.h) at each context switch. If the session counts the task that has just run, the
 * follower adds what was counted between the leader's last two readings to the task's totals. If
 * counters cannot be shared, a follower without a leader reads the events itself.
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

/* The maximum number of children that can be counted at the same time. */
#define BPERF_ROOM_FOR_TASKS (256 + 4096)

/* The tasks to count. */
struct bperf_target {
	const struct threadmap *threads; /* NULL: all tasks */
	/* true: each thread has its own totals (a slot); false: all tasks use a single slot */
	bool per_thread;
	bool inherit;	/* children are counted in the slots of their parents */
	bool from_exec; /* each task is counted only after its next exec */
	/* the points of --start or --stop, or NULL; only for bperf_follower__alone() */
	const struct gate_points *points;
};

/*
 * Makes a follower of @leader for @nr events. @plan[i].row is the index of event i among the
 * leader's events. Returns 0, or -errno with the reason in @why. For two errors, @why stays empty:
 * -EUSERS means that @leader cannot have more followers, and -EOPNOTSUPP means that the kernel does
 * not support followers.
 */
int bperf_follower__follow(const struct bperf_leader *leader, const struct bperf_plan *plan, int nr,
			   const struct bperf_target *target, struct bperf_follower **follower,
			   struct strbuf *why);
/*
 * Makes a follower that has no leader and reads @events itself. @nr_cpus is the largest possible
 * CPU id + 1. Returns 0, or -errno with the reason in @why.
 */
int bperf_follower__alone(struct bperf_events *events, int nr_cpus,
			  const struct bperf_target *target, struct bperf_follower **follower,
			  struct strbuf *why);
/* Frees the follower, which may be NULL. */
void bperf_follower__close(struct bperf_follower *follower);

/*
 * Starts or stops counting. On each CPU, the change takes effect at the CPU's next reading: at a
 * context switch, or when pstat runs the program that reads the events.
 */
void bperf_follower__switch(struct bperf_follower *follower, bool on);

/* The next three functions are only for a follower whose target has points of --start or --stop. */

/* Returns the follower's gate (gate.h), which these points open and close. */
const struct gate *bperf_follower__gate(const struct bperf_follower *follower);
/*
 * Returns an fd that becomes readable when a point of --start or --stop changes the gate, and stays
 * readable until bperf_follower__drain() is called.
 */
int bperf_follower__wake_fd(const struct bperf_follower *follower);
void bperf_follower__drain(struct bperf_follower *follower);

/*
 * Reads the totals of slot @slot into the two-dimensional array @values: [possible CPU][event].
 * Returns 0 or -errno.
 */
int bperf_follower__read(const struct bperf_follower *follower, int slot,
			 struct bpf_perf_event_value *values);

/*
 * Returns the fd of the BPF program on_switch, which reads the events. Only for a follower without
 * a leader.
 */
int bperf_follower__prog_fd(const struct bperf_follower *follower);
/*
 * Returns the fd of the per-CPU map that contains a struct bperf_state and arrays of values. Only
 * for a follower without a leader.
 */
int bperf_follower__state_fd(const struct bperf_follower *follower);
/*
 * Describes a follower without a leader as a struct bperf_reader (bperf-cpus.h). The follower still
 * owns the fds.
 */
struct bperf_reader bperf_follower__reader(struct bperf_follower *follower);
/*
 * Returns the number of tasks that the follower could not add to its maps, because the maps were
 * full or the kernel could not allocate memory. These tasks are not counted.
 */
uint64_t bperf_follower__lost(const struct bperf_follower *follower);
/*
 * Returns how many times the kernel skipped one of the follower's programs that run at a tracepoint
 * when a task begins or ends.
 */
uint64_t bperf_follower__skipped(const struct bperf_follower *follower);

#endif
