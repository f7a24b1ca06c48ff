// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/open-check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/fd/event-open.h"
#include "util/count/fd/open-error.h"
#include "util/count/stat-config.h"
#include "util/count/tool-figure.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

/*
 * Tries to open the event, and closes it again. Sets *@user_only to whether the last attempt was
 * for user space only. Returns 0 or -errno.
 */
static int try(const struct evsel *evsel, pid_t pid, int cpu, bool *user_only)
{
	struct event_place at = { .pid = pid, .cpu = cpu, .group_fd = -1 };
	union perf_attr attr = evsel->attr;
	int fd;

	attr.attr.size = PERF_ATTR_SIZE;
	attr.attr.disabled = 1;
	fd = event_open(evsel, &attr, &at);
	*user_only = event_open__may_drop_kernel(evsel, fd);
	if (*user_only) {
		attr.attr.exclude_kernel = attr.attr.exclude_hv = 1;
		fd = event_open(evsel, &attr, &at);
	}
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/*
 * Returns the first online CPU on which the event can be opened, or the first CPU in
 * @evsel->pmu_cpus if all CPUs in it are offline.
 */
static int first_cpu(const struct evsel *evsel)
{
	const struct cpumap *own = evsel->pmu_cpus && evsel->pmu_cpus->nr ? evsel->pmu_cpus : NULL;
	int cpu = own ? own->ids[0] : 0;
	struct cpumap *online = NULL;

	if (!cpumap__online(sysroots__host(), &online)) {
		for (int i = online->nr - 1; i >= 0; i--)
			if (!own || cpumap__index(own, online->ids[i]) >= 0)
				cpu = online->ids[i];
	}
	cpumap__free(online);
	return cpu;
}

/* Returns whether @err has a temporary cause that is unrelated to the event. */
static bool is_of_the_moment(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -EBUSY || err == -EINTR;
}

/*
 * Tries to read a figure: a value that pstat reads instead of counting an event (tool-figure.h). If
 * this fails, adds the reason to @why.
 */
static enum open_verdict check_figure(const struct evsel *evsel, struct strbuf *why)
{
	static const struct stat_config anything;
	struct tool_figure figure;
	const char *reason;
	uint64_t value;
	int err = tool_figure__open(&figure, evsel, &anything, &reason);

	err = err ?: tool_figure__read(&figure, NULL, &value);
	tool_figure__close(&figure);
	if (err)
		strbuf__adds(why, reason ?: strerror(-err));
	return err ? OPENS_NOT : OPENS;
}

enum open_verdict open_check__evsel(const struct evsel *evsel, struct strbuf *why)
{
	bool user_only;
	int err, cpu_err;

	if (tool_event__is_figure(evsel->tool))
		return check_figure(evsel, why);
	if (evsel->tool != TOOL_NONE)
		return OPENS;
	err = try(evsel, 0, -1, &user_only);
	if (!err)
		return user_only ? OPENS_IN_USER_SPACE : OPENS;
	cpu_err = is_of_the_moment(err) ? err : try(evsel, -1, first_cpu(evsel), &user_only);
	if (!cpu_err)
		return OPENS_ON_CPUS;
	/* EINVAL for a task can have many reasons, so the error for the CPU explains more */
	open_error__reason(why, err == -EINVAL ? cpu_err : err);
	return OPENS_NOT;
}
