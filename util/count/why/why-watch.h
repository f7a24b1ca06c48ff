/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches the kernel refuse: a BPF program at the returns of the functions that
 * perf_event_open(2) may call records which of them return an error to this thread.
 */
#ifndef PSTAT_COUNT_WHY_WATCH_H
#define PSTAT_COUNT_WHY_WATCH_H

#include "util/base/strbuf.h"

struct why_trial;
struct why_watch;

/*
 * Attaches to the functions. One link is enough for all of them since Linux 5.18, and on arm64
 * since 6.14; older kernels get a probe for each of the most important functions. Returns 0, or
 * -errno with the reason in @why: this user may not, or this kernel refuses kernel probes.
 */
int why_watch__new(struct why_watch **watch, struct strbuf *why);
void why_watch__free(struct why_watch *watch);

/* What returned the error of an attempt. */
struct why_seen {
	/* that returned it first, and so found the fault; NULL: none was seen */
	const char *function;
	struct strbuf callers; /* that passed it on, separated by commas */
	struct strbuf asked;   /* functions of PMUs that did not want the event (ENOENT) */
};

#define WHY_SEEN_INIT ((struct why_seen){ .callers = STRBUF_INIT, .asked = STRBUF_INIT })

void why_seen__free(struct why_seen *seen);

/*
 * Repeats the attempt @trial, which fails with @err. Adds what was seen to @seen, which is valid as
 * long as @watch.
 */
void why_watch__see(struct why_watch *watch, const struct why_trial *trial, int err,
		    struct why_seen *seen);

#endif
