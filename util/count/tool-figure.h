/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A figure: a value that pstat reads instead of counting an event. It is a fact about the machine
 * (such as the number of CPUs), the value of a sensor, or a value that a graphics driver reports
 * for processes (such as the time for which they used the GPU).
 */
#ifndef PSTAT_COUNT_TOOL_FIGURE_H
#define PSTAT_COUNT_TOOL_FIGURE_H

#include <stdint.h>

#include "util/machine/pmu/drm-clients.h"

struct evsel;
struct stat_config;
struct threadmap;

struct tool_figure {
	const struct evsel *evsel;
	const struct stat_config *cfg;
	int fd;		      /* the open file of a sensor; otherwise -1 */
	uint64_t value;	      /* the value of a fact, which pstat reads only once */
	struct drm_event drm; /* the event of a graphics driver */
};

/*
 * Opens the figure that @evsel names. Returns 0 or -errno. On error, *@why is the reason, or NULL
 * if strerror(3) describes the error well enough. Even on failure, the caller must call
 * tool_figure__close().
 */
int tool_figure__open(struct tool_figure *figure, const struct evsel *evsel,
		      const struct stat_config *cfg, const char **why);
/*
 * Reads the figure. A figure from a graphics driver is the sum of the values for the processes of
 * the counted tasks, @threads. If @threads is NULL, or if pstat counts CPUs, BPF programs, scopes
 * or all threads, the sum is over all processes. Other figures do not depend on @threads. Returns 0
 * and sets *@value, or returns -errno.
 */
int tool_figure__read(const struct tool_figure *figure, const struct threadmap *threads,
		      uint64_t *value);
void tool_figure__close(struct tool_figure *figure);

#endif
