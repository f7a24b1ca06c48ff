/* SPDX-License-Identifier: GPL-2.0-only */
/* Does an event open on this machine? Found by opening it. */
#ifndef PSTAT_COUNT_OPEN_CHECK_H
#define PSTAT_COUNT_OPEN_CHECK_H

struct evsel;
struct strbuf;

enum open_verdict {
	OPENS,		     /* for a task, and so everywhere */
	OPENS_IN_USER_SPACE, /* the same, but this user may not count the kernel */
	OPENS_ON_CPUS,	     /* for whole CPUs only: with -a or -C */
	OPENS_NOT,
};

/* Opens @evsel, disabled, for this process and else on a CPU, and closes it again. On OPENS_NOT @why gets the reason. */
enum open_verdict open_check__evsel(const struct evsel *evsel, struct strbuf *why);

#endif
