/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Followers of shared counters: the program that runs behind a leader and adds what it read to the totals of the tasks that
 * are counted; and the program that is leader and follower in one, where the kernel does not allow the one behind the other.
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
struct strbuf;
struct threadmap;

/* Tasks that are there at once and were forked by those that are followed. */
#define BPERF_ROOM_FOR_TASKS (256 + 4096)

/* Whose counts are wanted. */
struct bperf_target {
	const struct threadmap *threads; /* NULL: all tasks */
	bool per_thread;		 /* each in a slot of its own; else all in one */
	bool inherit;			 /* what they fork counts with them */
	bool from_exec;			 /* they count from their exec on */
};

/*
 * Follows @leader: @nr of its events, @plan[].row says which. Without a reason: -EUSERS when @leader has all followers that the
 * kernel lets it have, and -EOPNOTSUPP when the kernel runs no program behind another.
 */
int bperf_follower__follow(const struct bperf_leader *leader, const struct bperf_plan *plan, int nr,
			   const struct bperf_target *target, struct bperf_follower **follower, struct strbuf *why);
/* Reads @events and adds up, alone. @nr_cpus is the largest possible CPU id + 1. */
int bperf_follower__alone(struct bperf_events *events, int nr_cpus, const struct bperf_target *target,
			  struct bperf_follower **follower, struct strbuf *why);
/* NULL is fine. */
void bperf_follower__close(struct bperf_follower *follower);

/* From the next reading of each CPU on, what is counted is added or not. */
void bperf_follower__switch(struct bperf_follower *follower, bool on);

/* The totals of a slot: @values has nr readings for each possible CPU. 0 or -errno. */
int bperf_follower__read(const struct bperf_follower *follower, int slot, struct bpf_perf_event_value *values);

/* The fd of on_switch of one that is alone. */
int bperf_follower__prog_fd(const struct bperf_follower *follower);
/* Per CPU, struct bperf_state and rows, of one that is alone. */
int bperf_follower__state_fd(const struct bperf_follower *follower);
/* Returns a follower that has no leader as the reader of its own events. The follower keeps ownership of the fds. */
struct bperf_reader bperf_follower__reader(struct bperf_follower *follower);
/* Tasks that could not be followed. */
uint64_t bperf_follower__lost(const struct bperf_follower *follower);

#endif
