/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches the kernel refuse an event: a BPF program at the returns of the functions that
 * perf_event_open(2) may call records which of them return an error to this thread.
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
 * Prepares the program, and attaches it to the functions that refuse most events. Linux 5.18 and
 * later attach it to all of them at once, on arm64 since 6.14. For older kernels, the functions are
 * those for events of the type @type (perf_event_attr). Returns 0, or -errno with the reason in
 * @why: this user may not watch functions, or this kernel has no kernel probes.
 */
int why_watch__new(uint32_t type, struct why_watch **watch, struct strbuf *why);
void why_watch__free(struct why_watch *watch);

/* The functions that returned the error of an attempt. */
struct why_seen {
	/* the function that returned it first, and so found the fault; NULL: none was seen */
	const char *function;
	struct strbuf callers; /* the functions that passed it on, separated by commas */
	struct strbuf asked;   /* functions of PMUs to which the event does not belong (ENOENT) */
	/* the last branches before `function` returned, in the order of execution */
	int nr_branches;
	struct branch branches[BRANCHES_MAX];
};

#define WHY_SEEN_INIT ((struct why_seen){ .callers = STRBUF_INIT, .asked = STRBUF_INIT })

void why_seen__free(struct why_seen *seen);

/*
 * Repeats the attempt @trial, which fails with @err, while the CPU records branches if it can. Adds
 * the functions that returned the error to @seen, which is valid as long as @watch. If none of the
 * usual functions returned the error, and the reason is not known yet (@is_explained), makes
 * another attempt and watches all functions. This takes longer.
 */
void why_watch__see(struct why_watch *watch, const struct why_trial *trial, int err,
		    bool is_explained, struct why_seen *seen);

#endif
