// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/tool-figure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/sysfs.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/machine-view.h"
#include "util/machine/task/threadmap.h"

static int open_fact(struct tool_figure *figure, const char **why)
{
	const struct machine_view machine = {
		.roots = sysroots__host(),
		.system_wide = figure->cfg->system_wide && !figure->cfg->cpus,
		.cpus = figure->cfg->cpus,
	};
	double value;
	int err = machine_view__fact(&machine, (int)figure->evsel->attr.attr.config1, &value);

	if (err == -ENODATA)
		*why = "this machine does not provide this value";
	if (!err)
		figure->value = (uint64_t)value;
	return err;
}

static int open_sensor(struct tool_figure *figure, const char **why)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", sysroots__host()->sysfs, figure->evsel->source);
	/*
	 * O_NONBLOCK: if the file is a FIFO, open(2) must not wait for a writer, because Ctrl-C
	 * could not end this wait (SIGINT is blocked)
	 */
	figure->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (figure->fd >= 0)
		return 0;
	if (errno == ENOENT)
		*why = "the chip has no such sensor";
	return -errno;
}

int tool_figure__open(struct tool_figure *figure, const struct evsel *evsel,
		      const struct stat_config *cfg, const char **why)
{
	*figure = (struct tool_figure){ .evsel = evsel, .cfg = cfg, .fd = -1 };
	*why = NULL;
	if (evsel->tool == TOOL_FACT)
		return open_fact(figure, why);
	if (evsel->tool == TOOL_HWMON)
		return open_sensor(figure, why);
	if (evsel->tool == TOOL_DRM) {
		snprintf(figure->drm.pmu, sizeof(figure->drm.pmu), "%s", evsel->pmu_name);
		snprintf(figure->drm.name, sizeof(figure->drm.name), "%s", evsel->source);
	}
	return 0;
}

static int read_sensor(const struct tool_figure *figure, uint64_t *value)
{
	char text[32], *end;
	ssize_t len = pread(figure->fd, text, sizeof(text) - 1, 0);

	if (len < 0)
		return -errno;
	text[len] = '\0';
	*value = (uint64_t)strtoll(text, &end, 10);
	return end == text ? -EINVAL : 0;
}

/*
 * Adds up the values that the graphics driver reports for the processes of @threads. Counts each
 * process once. Returns 0 or -errno.
 */
static int read_threads(const struct tool_figure *figure, const struct threadmap *threads,
			uint64_t *value)
{
	const struct sysroots *roots = sysroots__host();
	struct threadmap *counted = threadmap__new();
	int err = counted ? 0 : -ENOMEM;

	*value = 0;
	for (int i = 0; !err && i < threads->nr; i++) {
		pid_t process = threadmap__process_of(roots, threads->tids[i]);
		uint64_t more = 0;

		if (process < 0 || threadmap__has(counted, process))
			continue;
		err = threadmap__add(counted, process) ?:
			      drm_clients__sum(roots, &figure->drm, process, &more);
		*value += more;
	}
	threadmap__free(counted);
	return err;
}

int tool_figure__read(const struct tool_figure *figure, const struct threadmap *threads,
		      uint64_t *value)
{
	const struct stat_config *cfg = figure->cfg;

	*value = figure->value;
	if (figure->evsel->tool == TOOL_HWMON)
		return read_sensor(figure, value);
	if (figure->evsel->tool != TOOL_DRM)
		return 0;
	if (stat_config__per_task(cfg) && !cfg->all_threads && threads)
		return read_threads(figure, threads, value);
	return drm_clients__sum(sysroots__host(), &figure->drm, -1, value);
}

void tool_figure__close(struct tool_figure *figure)
{
	if (figure->fd >= 0)
		close(figure->fd);
	figure->fd = -1;
}
