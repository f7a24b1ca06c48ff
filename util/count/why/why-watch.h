/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out which kernel function refuses an event. A BPF program is attached to functions that
 * perf_event_open(2) may call. This program runs whenever one of these functions returns, and
 * records the functions that return an error, if pstat's own thread called them.
 */
#ifndef PSTAT_COUNT_WHY_WATCH_H
#define PSTAT_COUNT_WHY_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/count/branches.h"

struct why_trial;
struct why_watch;

/*
 * Loads the program and attaches it to the usual functions (why_function__is_usual()). Some kernels
 * cannot attach a program to many functions at once (before Linux 5.18, on arm64 before 6.14). On
 * these kernels, attaches the program only to the few functions for which why_function__is_for()
 * returns true for @type. Returns 0, or -errno with the reason in @why, for example if this user is
 * not allowed to attach BPF programs.
 */
int why_watch__new(uint32_t type, struct why_watch **watch, struct strbuf *why);
void why_watch__free(struct why_watch *watch);

/* The functions that returned the error of an attempt. */
struct why_seen {
	/*
	 * the function that returned the error first, so this function refused the event; NULL: no
	 * watched function returned the error
	 */
	const char *function;
	struct strbuf callers; /* the functions that passed the error on, separated by commas */
	/* functions of PMUs to which the event does not belong (ENOENT), separated by commas */
	struct strbuf asked;
	/* the last branches before `function` returned, in the order of execution */
	int nr_branches;
	struct branch branches[BRANCHES_MAX];
};

#define WHY_SEEN_INIT ((struct why_seen){ .callers = STRBUF_INIT, .asked = STRBUF_INIT })

void why_seen__free(struct why_seen *seen);

/*
 * Repeats the attempt @trial, which has failed with @err, and adds to @seen the functions that
 * returned the error. If the CPU can record branches, also adds the last branches before the
 * refusal. If no watched function returned the error, and @is_explained is false, attaches the
 * program to all functions for which why_function__may_refuse() returns true, and repeats the
 * attempt. This takes longer. On kernels that can attach the program to only one function at a
 * time, attaches it to all usual functions instead.
 *
 * @is_explained says whether the cause is already known (why_remedy__explains()). seen->function is
 * valid only as long as @watch exists.
 */
void why_watch__see(struct why_watch *watch, const struct why_trial *trial, int err,
		    bool is_explained, struct why_seen *seen);

#endif
