/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to bperf-follower.c and bperf-alone.c: the struct of a follower, and the functions that
 * make followers with and without a leader. Each int function returns 0 or -errno.
 */
#ifndef PSTAT_COUNT_BPERF_FOLLOWER_PRIV_H
#define PSTAT_COUNT_BPERF_FOLLOWER_PRIV_H

#include <stdbool.h>

#include "util/count/bperf/bperf-follower.h"
#include "util/count/bperf/bperf-parts.h"
#include "util/count/bperf/kprobe-event.h"
#include "util/count/share/held-events.h"

struct bperf_alone_bpf;
struct bperf_follower_bpf;
struct bpf_link;
struct gate_links;

#define BPERF_NR_LINKS 4

struct bperf_follower {
	struct bperf_follower_bpf *skel; /* for a follower with a leader; otherwise NULL */
	struct bperf_alone_bpf *alone;	 /* for a follower without a leader; otherwise NULL */
	struct bperf_parts parts;	 /* of `skel` or `alone` */
	struct bpf_program *main;	 /* the program that runs at a context switch */
	/*
	 * the offset of the state in struct task_struct (bpf_tasks__find_state()); -1 if the
	 * tracepoint sched_switch passes the state, or if all tasks are counted
	 */
	int task_state;
	int link_fd; /* attaches `main` to a leader; -1 without a leader */
	/*
	 * links of the programs that run when tasks begin or end, and, without a leader, of `main`
	 */
	struct bpf_link *links[BPERF_NR_LINKS];
	int nr_links;
	struct kprobe_event exit;
	struct held_events held;	  /* only without a leader */
	const struct gate_points *points; /* NULL without --start or --stop */
	struct gate_links *gate;
	bool sees_exits; /* a BPF program runs when a counted task exits */
};

/* The @step to pass to bperf_follower__fail() if the programs cannot be loaded. */
#define BPERF_LOADING "load the program that adds up the counts of tasks"

/*
 * Allocates a follower for @target. On failure, sets *@out to NULL, and stores the reason in @why
 * unless the error is -ENOMEM.
 */
int bperf_follower__new(struct bperf_follower **out, const struct bperf_target *target,
			struct strbuf *why);
/*
 * For @nr events, sets the sizes of the maps and the constants of the programs in follower->parts,
 * and selects the programs that run when tasks begin or end. Call this function before the BPF
 * object is loaded.
 */
int bperf_follower__prepare(struct bperf_follower *follower, const struct bperf_plan *plan, int nr,
			    const struct bperf_target *target);
/*
 * Passes the tasks to the programs, and attaches the programs that run when tasks begin or end.
 * Call this function after the BPF object is loaded. On failure, *@step says which step failed.
 */
int bperf_follower__start(struct bperf_follower *follower, const struct bperf_target *target,
			  const char **step);
/*
 * Adds @link to the links that bperf_follower__close() destroys. If @link is NULL, which means that
 * attaching a program failed, returns -errno.
 */
int bperf_follower__keep(struct bperf_follower *follower, struct bpf_link *link);
/*
 * Closes the follower. If @step is not NULL, stores "cannot @step" as the reason. Returns @err, or
 * -EOPNOTSUPP if @err is -ENOTSUPP.
 */
int bperf_follower__fail(struct bperf_follower **follower, const char *step, int err,
			 struct strbuf *why);

/*
 * The next three functions are in bperf-alone.c. The first two do nothing if the follower has a
 * leader.
 */

/* Detaches the programs at the points of --start and --stop, and reports faults of the gate. */
void bperf_alone__detach(struct bperf_follower *follower);
/* Frees the BPF object. */
void bperf_alone__close(struct bperf_follower *follower);
/*
 * Starts or stops counting. While counting is on, the points of --start and --stop open and close
 * the gate (gate.h). Only for a follower with such points.
 */
void bperf_alone__switch(struct bperf_follower *follower, bool on);

#endif
