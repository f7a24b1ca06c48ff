/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out whether an event can be opened on this machine, by opening it. */
#ifndef PSTAT_COUNT_OPEN_CHECK_H
#define PSTAT_COUNT_OPEN_CHECK_H

struct evsel;
struct strbuf;

enum open_verdict {
	OPENS, /* for tasks and CPUs */
	/* for tasks and CPUs, but this user may not count events in the kernel */
	OPENS_IN_USER_SPACE,
	OPENS_ON_CPUS, /* for whole CPUs only: with -a or -C */
	OPENS_NOT,
};

/*
 * Opens @evsel, disabled, for this process, or on a CPU if this fails, and closes it. For
 * OPENS_NOT, adds the reason to @why.
 */
enum open_verdict open_check__evsel(const struct evsel *evsel, struct strbuf *why);

#endif
