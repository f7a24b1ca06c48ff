/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A figure: a value that pstat reads itself instead of counting an event. It is a fact about the
 * machine (such as the number of CPUs), a sensor, or the use of a graphics device.
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
	int fd;		      /* the file of a sensor, otherwise -1 */
	uint64_t value;	      /* the value of a fact, which is constant during the count */
	struct drm_event drm; /* the use of graphics devices */
};

/*
 * Opens the figure that @evsel names. Returns 0, or -errno. On error, *@why is the reason, or NULL
 * if the reason is the text of the errno (strerror()). The caller closes @figure in both cases.
 */
int tool_figure__open(struct tool_figure *figure, const struct evsel *evsel,
		      const struct stat_config *cfg, const char **why);
/*
 * Reads the figure. @threads are the counted tasks, which this function ignores if CPUs are
 * counted. Returns 0 and sets *@value, or returns -errno.
 */
int tool_figure__read(const struct tool_figure *figure, const struct threadmap *threads,
		      uint64_t *value);
void tool_figure__close(struct tool_figure *figure);

#endif
