/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out which kernel function refuses an event. pstat attaches a BPF program to functions that
 * perf_event_open(2) may call. This program runs whenever one of these functions returns. If the
 * function returns an error in pstat's own thread, the program records the function.
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
 * cannot attach a program to many functions at once: those before Linux 5.18 (on arm64, before
 * 6.14), and those without CONFIG_FPROBE. On these kernels, attaches the program only to the few
 * functions for which why_function__is_for() returns true for @type. Returns 0, or -errno with the
 * reason in @why, for example that this user is not allowed to attach BPF programs.
 */
int why_watch__new(uint32_t type, struct why_watch **watch, struct strbuf *why);
void why_watch__free(struct why_watch *watch);

/* The functions that returned the error of an attempt. */
struct why_seen {
	/*
	 * the function that refused the event: the first one that returned the error, apart from
	 * the functions in `asked`; NULL: not found
	 */
	const char *function;
	struct strbuf callers; /* the functions that passed the error on, separated by commas */
	/*
	 * functions that returned ENOENT because the event does not belong to their PMU, separated
	 * by commas
	 */
	struct strbuf asked;
	int nr_branches;
	/* the last branches before `function` returned, in the order of execution */
	struct branch branches[BRANCHES_MAX];
};

#define WHY_SEEN_INIT ((struct why_seen){ .callers = STRBUF_INIT, .asked = STRBUF_INIT })

void why_seen__free(struct why_seen *seen);

/*
 * Repeats the attempt @trial, which has failed with @err, and adds to @seen the functions that
 * returned the error. If the CPU can record branches, also adds the last branches before the
 * refusal. seen->function is valid only as long as @watch exists.
 *
 * If the function that refused the event is not found, and @is_explained is false, attaches the
 * program to all functions for which why_function__may_refuse() returns true, and repeats the
 * attempt once more. On kernels that can attach the program to only one function at a time,
 * attaches it to all usual functions instead. @is_explained says whether the cause is already known
 * (why_remedy__explains()). If it is known, attaching to more functions is not worth the time.
 */
void why_watch__see(struct why_watch *watch, const struct why_trial *trial, int err,
		    bool is_explained, struct why_seen *seen);

#endif
