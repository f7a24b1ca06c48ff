// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles the perf fds of CPUs that go offline and come back. When a CPU goes offline, the kernel
 * permanently removes the CPU's events (perf_event_exit_cpu_context() in kernel/events/core.c). The
 * fds of these events can still be read, but the counts and times never change again. So pstat
 * stores the last reading of each fd as a base, and closes the fd. When the CPU is back, pstat
 * opens a new event and adds its count to the base:
 *
 * CPU	online		offline		online
 * fd	│ first event	│ closed	│ new event, from zero
 * total	│ reading	│ base		│ base + reading
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/fd/cgroup-clock.h"
#include "util/count/fd/event-fds-table.h"
#include "util/count/fd/event-open.h"
#include "util/count/measurement.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"

int event_fds__get_of_another(const struct event_fds *fds, int event, int cpu_idx)
{
	const struct backend_group *group = fds->group;
	int fd = -1;

	if (!counts__is_on(group->counts[event], group->cpus->ids[cpu_idx]))
		return -1;
	for (int other = 0; fd < 0 && other < group->cpus->nr; other++)
		if (other != cpu_idx)
			fd = event_fds__get(fds, event, other, 0);
	return fd;
}

/*
 * Returns whether the PMU's driver moves the event to another CPU of the package when the event's
 * CPU goes offline (perf_pmu_migrate_context()). The event then continues to count. If no other CPU
 * of the package is online, the kernel removes the event.
 */
static bool moves_by_itself(const struct event_fds *fds, int event)
{
	return fds->group->evsels[event]->is_uncore;
}

static void close_on_cpu(struct event_fds *fds, int event, int part, int cpu)
{
	for (int thread = event_fds__column(fds, part); thread < event_fds__column(fds, part + 1);
	     thread++) {
		int *fd = event_fds__slot(fds, event, cpu, thread);
		struct reading last;

		if (*fd < 0)
			continue;
		if (!event_fds__read_fd(*fd, &last))
			reading__add(&fds->bases[event_fds__place(fds, event, cpu, thread)], &last);
		close(*fd);
		*fd = -1;
	}
}

static int make_bases(struct event_fds *fds)
{
	size_t nr = (size_t)fds->group->nr * (size_t)fds->nr_cpus * (size_t)fds->nr_threads;

	if (!fds->bases)
		fds->bases = calloc(nr + 1, sizeof(*fds->bases));
	return fds->bases ? 0 : -ENOMEM;
}

/*
 * Handles perf groups in which a driver moves only some events to another CPU. If a member moves
 * and its leader does not, or vice versa, pstat treats the member as a single event from then on.
 * Without this, if the leader had moved, the kernel would refuse (EINVAL) to open the member in the
 * group when the CPU is back, because a group's events must be on the same CPU.
 */
static void split_mixed_groups(struct event_fds *fds)
{
	for (int event = 0; event < fds->group->nr; event++) {
		int leader = fds->leaders[event];

		if (leader >= 0 && moves_by_itself(fds, event) != moves_by_itself(fds, leader))
			fds->leaders[event] = event;
	}
}

static int leave_cpu(struct event_fds *fds, int cpu, event_fds_cpu_fn fn, void *ctx)
{
	int err = make_bases(fds);

	if (!err && fn)
		err = fn(ctx, cpu, false);
	if (err)
		return err;
	split_mixed_groups(fds);
	for (int event = 0; event < fds->group->nr; event++)
		for (int part = 0; part < fds->nr_parts && !moves_by_itself(fds, event); part++)
			close_on_cpu(fds, event, part, cpu);
	fds->is_off[cpu] = true;
	return 0;
}

/*
 * Returns whether the event of @cpu has moved to another CPU and counts there. The enabled time of
 * such an event advances. If the event is disabled, returns false, and open_on_joined_cpu() opens
 * the event again. No counts are lost, because close_on_cpu() adds them to the base.
 */
static bool still_counts(const struct event_fds *fds, int event, int part, int cpu)
{
	int fd = event_fds__get(fds, event, cpu, event_fds__column(fds, part));
	struct reading first, second;

	return moves_by_itself(fds, event) && fd >= 0 && !event_fds__read_fd(fd, &first) &&
	       !event_fds__read_fd(fd, &second) && second.enabled > first.enabled;
}

/*
 * Returns whether the event has to be opened on @cpu. Returns false if the event is unsupported or
 * still counts.
 */
static bool is_wanted(const struct event_fds *fds, int event, int part, int cpu)
{
	return fds->leaders[event] >= 0 && !counts__err(fds->group->counts[event], part) &&
	       !still_counts(fds, event, part, cpu);
}

/* Closes all fds of @event's perf group on @cpu in the columns of @part (event-fds-table.h). */
static void give_up_group(struct event_fds *fds, int event, int part, int cpu)
{
	for (int other = 0; other < fds->group->nr; other++)
		if (fds->leaders[other] == fds->leaders[event])
			close_on_cpu(fds, other, part, cpu);
}

static void open_on_joined_cpu(struct event_fds *fds, int event, int part, int cpu)
{
	const struct evsel *evsel = fds->group->evsels[event];
	struct event_place at;
	union perf_attr attr;
	struct strbuf why = STRBUF_INIT;
	int err;

	if (!is_wanted(fds, event, part, cpu))
		return;
	/* close the old fd, if there is one: its event may have stopped counting for good */
	close_on_cpu(fds, event, part, cpu);
	event_fds__fill_attr(fds, event, &attr);
	err = event_fds__open_on_cpu(fds, event, part, cpu, &attr, &at, &why);
	if (err) {
		pr_warn("event %d: cannot be opened on CPU %d, which came online, so it is not "
			"counted there: %s",
			(part ? part * fds->group->measurement->nr : 0) + evsel->idx + 1,
			fds->group->cpus->ids[cpu], why.len ? why.text : strerror(-err));
		give_up_group(fds, event, part, cpu);
	}
	strbuf__free(&why);
}

static int join_cpu(struct event_fds *fds, int cpu, event_fds_cpu_fn fn, void *ctx)
{
	int err = make_bases(fds);

	fds->is_off[cpu] = false;
	for (int part = 0; !err && part < fds->nr_parts; part++)
		for (int event = 0; !fds->is_off[cpu] && event < fds->group->nr; event++)
			open_on_joined_cpu(fds, event, part, cpu);
	/* if the CPU is offline again, its events are opened when it comes back */
	if (err || fds->is_off[cpu])
		return err;
	return fn ? fn(ctx, cpu, true) : 0;
}

static int enable_cpu(struct event_fds *fds, int cpu)
{
	for (int event = 0; event < fds->group->nr; event++) {
		int err = 0;

		for (int thread = 0; !err && thread < fds->nr_threads; thread++) {
			int fd = event_fds__get(fds, event, cpu, thread);

			if (fd >= 0 && fds->leaders[event] == event)
				err = perf_sys__enable(fd);
		}
		if (err)
			return reason__set(
				fds->group->why, err,
				"%s: cannot enable the event on CPU %d, which came online: %s",
				fds->group->evsels[event]->name, fds->group->cpus->ids[cpu],
				strerror(-err));
	}
	return 0;
}

/*
 * Enables the events on each CPU for which @joined is true. Does nothing if the events on the CPUs
 * that stayed online are disabled. Returns 0 or -errno.
 */
static int enable_joined(struct event_fds *fds, const bool *joined)
{
	int *clocks, err;

	if (!fds->on)
		return 0;
	err = cgroup_clock__start(fds, &clocks);
	for (int cpu = 0; !err && cpu < fds->nr_cpus; cpu++)
		if (joined[cpu] && !fds->is_off[cpu])
			err = enable_cpu(fds, cpu);
	cgroup_clock__stop(fds, clocks);
	return err;
}

int event_fds__follow_cpus(struct event_fds *fds, const struct cpumap *online, event_fds_cpu_fn fn,
			   void *ctx)
{
	bool *joined = calloc((size_t)fds->nr_cpus + 1, sizeof(bool)), any = false;
	int err = joined ? 0 : -ENOMEM;

	for (int cpu = 0; !err && cpu < fds->nr_cpus; cpu++) {
		bool offline = event_fds__is_offline(fds, cpu, online);

		if (offline && !fds->is_off[cpu])
			err = leave_cpu(fds, cpu, fn, ctx);
		joined[cpu] = !offline && fds->is_off[cpu];
		any |= joined[cpu];
	}
	for (int cpu = 0; !err && cpu < fds->nr_cpus; cpu++)
		if (joined[cpu])
			err = join_cpu(fds, cpu, fn, ctx);
	if (!err && any)
		err = enable_joined(fds, joined);
	free(joined);
	return err;
}
