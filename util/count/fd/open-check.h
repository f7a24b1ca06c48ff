/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks whether an event can be opened on this machine. */
#ifndef PSTAT_COUNT_OPEN_CHECK_H
#define PSTAT_COUNT_OPEN_CHECK_H

struct evsel;
struct strbuf;

enum open_verdict {
	/*
	 * opens for this process (opening for CPUs was not tried); or a tool event that pstat can
	 * measure or read
	 */
	OPENS,
	/*
	 * opens for this process, but only for user space, because the user is not allowed to count
	 * in the kernel
	 */
	OPENS_IN_USER_SPACE,
	OPENS_ON_CPUS, /* opens only for CPUs (-a or -C) */
	OPENS_NOT,
};

/*
 * Tries to open @evsel for this process. If this fails, tries to open it for a CPU, unless the
 * error is temporary, such as EMFILE. If @evsel is a figure (tool-figure.h), tries to read it
 * instead. For other tool events, returns OPENS without a check. If the result is OPENS_NOT, adds
 * the reason to @why.
 */
enum open_verdict open_check__evsel(const struct evsel *evsel, struct strbuf *why);

#endif
