// SPDX-License-Identifier: GPL-2.0-only
/*
 * The native backend, which uses no BPF: the kernel counts the events of each task or CPU, and
 * read(2) returns the totals.
 *
 * event-fds opens, enables and reads the perf fds of backend groups (struct backend_group),
 * including groups of other backends. event-open opens a single fd. open-error explains errors of
 * perf_event_open(2). open-check tests whether an event can be opened. one-cpu-events opens a BPF
 * program's events on a CPU that came online. cgroup-clock prevents jumps in the times of cgroup
 * events.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/fd/event-fds.h"
#include "util/count/stat-config.h"

static int fd__probe(struct strbuf *why_not)
{
	union perf_attr attr = { 0 };
	int fd;

	attr.attr.type = PERF_TYPE_SOFTWARE;
	attr.attr.size = PERF_ATTR_SIZE;
	attr.attr.config = PERF_COUNT_SW_DUMMY;
	fd = perf_sys__open(&attr, 0, -1, -1, 0);
	if (fd == -EACCES) { /* not allowed to count in the kernel: try user space only */
		attr.attr.exclude_kernel = attr.attr.exclude_hv = 1;
		fd = perf_sys__open(&attr, 0, -1, -1, 0);
		if (fd >= 0)
			strbuf__adds(why_not, ", in user space (kernel.perf_event_paranoid does "
					      "not let this user count the kernel)");
	}
	if (fd < 0)
		return reason__set(why_not, fd, "perf_event_open: %s", strerror(-fd));
	close(fd);
	return 0;
}

struct event_open_how event_open_how__native(const struct stat_config *cfg)
{
	return (struct event_open_how){
		.disabled = true,
		/*
		 * count a command from its exec, because pstat's child executes pstat's code before
		 * the exec
		 */
		.enable_on_exec = stat_config__starts_at_exec(cfg),
		.inherit = cfg->inherit && stat_config__per_task(cfg),
		.in_cgroups = true,
		.needs_leaders = cfg->needs_leaders,
		.keeps_going = cfg->keeps_going,
		.closes_late = true,
	};
}

static int fd__open(struct backend_group *group, const struct stat_config *cfg)
{
	const struct event_open_how how = event_open_how__native(cfg);
	struct event_fds *fds;
	int err = event_fds__open(group, &how, &fds);

	group->priv = fds;
	return err;
}

static int fd__enable(struct backend_group *group)
{
	return event_fds__enable(group->priv);
}

static int fd__at_exec(struct backend_group *group, pid_t pid)
{
	return event_fds__move_breakpoints(group->priv, pid);
}

static int fd__cpus_changed(struct backend_group *group, const struct cpumap *online)
{
	return event_fds__follow_cpus(group->priv, online, NULL, NULL);
}

static int fd__read(struct backend_group *group)
{
	return event_fds__read(group->priv);
}

static int fd__disable(struct backend_group *group)
{
	return event_fds__disable(group->priv);
}

static int fd__stop(struct backend_group *group)
{
	return event_fds__stop(group->priv);
}

static void fd__close(struct backend_group *group)
{
	event_fds__close(group->priv);
	group->priv = NULL;
}

const struct counter_backend backend_fd = {
	.name = "fd",
	.by_subject = true,
	.is_native = true,
	.loses_at_exec = true,
	.probe = fd__probe,
	.open = fd__open,
	.enable = fd__enable,
	.at_exec = fd__at_exec,
	.cpus_changed = fd__cpus_changed,
	.read = fd__read,
	.disable = fd__disable,
	.stop = fd__stop,
	.close = fd__close,
};
