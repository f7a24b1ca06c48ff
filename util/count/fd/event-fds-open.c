// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens the perf fds of a backend group, and handles events that the kernel refuses. For parts and
 * columns, see struct event_fds (event-fds-table.h).
 */
#include "util/count/fd/event-fds-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/fd/event-open.h"
#include "util/count/fd/open-error.h"
#include "util/count/subjects.h"
#include "util/event/evsel.h"
#include "util/event/filter.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/threadmap.h"

/*
 * The maximum number of new attempts to open an event on a CPU that is going offline or coming
 * online. For a few ms, the kernel lists such a CPU as online but refuses its events.
 */
#define MOST_TRIES 200
#define TRY_AGAIN_US 1000 /* the pause before each new attempt */

int *event_fds__slot(const struct event_fds *fds, int event, int cpu_idx, int thread)
{
	return &fds->fds[((size_t)event * (size_t)fds->nr_cpus + (size_t)cpu_idx) *
				 (size_t)fds->nr_threads +
			 (size_t)thread];
}

size_t event_fds__place(const struct event_fds *fds, int event, int cpu_idx, int thread)
{
	return (size_t)(event_fds__slot(fds, event, cpu_idx, thread) - fds->fds);
}

int event_fds__column(const struct event_fds *fds, int part)
{
	return fds->nr_threads / fds->nr_parts * part;
}

static void drop_kernel(struct event_fds *fds, int event, union perf_attr *attr)
{
	fds->group->counts[event]->left_out |= LEFT_OUT_KERNEL;
	attr->attr.exclude_kernel = attr->attr.exclude_hv = 1;
	pr_info("%s: this user may not count the kernel (/proc/sys/kernel/perf_event_paranoid): "
		"only user space is counted",
		fds->group->evsels[event]->name);
}

/*
 * Sets @at to the task, CPU and perf group with which the event has to be opened. Returns false if
 * the leader of the perf group is not open: the thread has ended, or the leader could not be opened
 * on a CPU that came online.
 */
static bool find_place(const struct event_fds *fds, int event, int cpu, int thread,
		       struct event_place *at)
{
	const struct backend_group *group = fds->group;
	const struct evsel *evsel = group->evsels[event];
	const struct subject *subject = group->subjects ? &group->subjects->list[thread] : NULL;
	const struct cgroup *cgroup = subject		  ? subject->cgroup :
				      fds->how.in_cgroups ? evsel->cgroup :
							    NULL;

	*at = (struct event_place){ .pid = -1, .cpu = group->cpus->ids[cpu], .group_fd = -1 };
	/* a task is counted on all CPUs, unless the event has the term cpu= */
	if (at->cpu < 0 && evsel->cpus_given)
		at->cpu = evsel->pmu_cpus->ids[0];
	if (subject)
		at->pid = subject->tid;
	else if (group->threads)
		at->pid = group->threads->tids[thread];
	if (cgroup) {
		at->pid = cgroup->fd;
		at->flags = PERF_FLAG_PID_CGROUP;
	}
	if (fds->leaders[event] == event)
		return true;
	at->group_fd = event_fds__get(fds, fds->leaders[event], cpu, thread);
	return at->group_fd >= 0;
}

/* Returns whether CPU @cpu_id is offline. */
static bool has_gone(int cpu_id)
{
	struct cpumap *online;
	bool gone;

	if (cpu_id < 0 || cpumap__online(sysroots__host(), &online))
		return false;
	gone = cpumap__index(online, cpu_id) < 0;
	cpumap__free(online);
	return gone;
}

/*
 * Called when an attempt to open the event has failed with ENODEV. Sets *@gone to whether the CPU
 * is offline. A CPU that is listed as online may still be going offline or coming online. So if
 * events of this type exist on every CPU, tries again, up to MOST_TRIES times, until the event
 * opens or the CPU is offline. Returns an fd or -errno.
 */
static int open_again(const struct evsel *evsel, union perf_attr *attr,
		      const struct event_place *at, bool *gone)
{
	bool on_each_cpu = attr->attr.type == PERF_TYPE_SOFTWARE ||
			   attr->attr.type == PERF_TYPE_TRACEPOINT ||
			   attr->attr.type == PERF_TYPE_BREAKPOINT;
	int fd = -ENODEV;

	*gone = has_gone(at->cpu);
	for (int i = 0; i < MOST_TRIES && on_each_cpu && fd == -ENODEV && !*gone; i++) {
		usleep(TRY_AGAIN_US);
		fd = event_open(evsel, attr, at);
		*gone = fd == -ENODEV && has_gone(at->cpu);
	}
	return fd;
}

int event_fds__open_on_cpu(struct event_fds *fds, int event, int part, int cpu,
			   union perf_attr *attr, struct event_place *at, struct strbuf *why)
{
	struct backend_group *group = fds->group;
	struct counts *counts = group->counts[event];
	const struct evsel *evsel = group->evsels[event];
	int cpu_id = group->cpus->ids[cpu], fd, err;
	bool gone = false;

	if (fds->is_off[cpu] || !counts__is_on(counts, cpu_id))
		return 0;
	for (int thread = event_fds__column(fds, part); thread < event_fds__column(fds, part + 1);
	     thread++) {
		if (!find_place(fds, event, cpu, thread, at))
			continue;
		fd = event_open(evsel, attr, at);
		if (!(counts->left_out & LEFT_OUT_KERNEL) &&
		    event_open__may_drop_kernel(evsel, fd)) {
			drop_kernel(fds, event, attr);
			fd = event_open(evsel, attr, at);
		}
		if (event_open__dropped_guests(evsel, attr))
			counts->left_out |= LEFT_OUT_GUESTS;
		if (fd == -ESRCH && group->threads)
			continue; /* the thread has ended */
		if (fd == -ENODEV)
			fd = open_again(evsel, attr, at, &gone);
		if (gone) {
			fds->is_off[cpu] = true;
			return 0;
		}
		if (fd < 0)
			return fd;
		*event_fds__slot(fds, event, cpu, thread) = fd;
		err = evsel->filter ? perf_sys__set_filter(fd, evsel->filter) : 0;
		if (err) {
			filter__explain(why, sysroots__host(), evsel, err);
			return err;
		}
	}
	return 0;
}

/*
 * Opens @event on all CPUs, for all columns of @part. Sets *@at to the task, CPU and perf group of
 * the last attempt. Returns 0 or -errno.
 */
static int event_fds__open_event(struct event_fds *fds, int event, int part, struct event_place *at)
{
	union perf_attr attr;
	int err = 0;

	event_fds__fill_attr(fds, event, &attr);
	for (int cpu = 0; !err && cpu < fds->nr_cpus; cpu++)
		err = event_fds__open_on_cpu(fds, event, part, cpu, &attr, at, fds->group->why);
	return err;
}

/*
 * Marks @event as unsupported in the columns of @part, because opening the event for the task and
 * CPU @at failed with the -errno @failed_with. Returns 0 or -ENOMEM.
 */
static int mark_unsupported(const struct event_fds *fds, int event, int part, int failed_with,
			    const struct event_place *at)
{
	struct counts *counts = fds->group->counts[event];
	struct strbuf why = STRBUF_INIT;
	int err = 0;

	open_error__explain(&why, fds->group->evsels[event], failed_with, at);
	pr_info("%s", why.text);
	if (fds->nr_parts == 1)
		counts__set_unsupported(counts, failed_with, why.text);
	else
		err = counts__set_column_unsupported(counts, part, failed_with, why.text);
	strbuf__free(&why);
	return err;
}

static int event_fds__open_group(struct event_fds *fds, int first, int end, int part);

/*
 * When a weak group is broken up, its leader and the topdown events after the leader remain a
 * group, because the kernel accepts topdown events only in a group whose leader is `slots`. Returns
 * the index after these events.
 */
static int end_of_kept(const struct event_fds *fds, int first, int end)
{
	int event = first + 1;

	while (event < end && fds->group->evsels[event]->keeps_group)
		event++;
	return event;
}

/*
 * Opens the events of a weak group (modifier W) separately, because the group is too large for the
 * PMU. With several cgroups, this happens when the group is opened for the first cgroup; for the
 * other cgroups, the events are then opened separately from the start. Returns 0 or -errno.
 */
static int event_fds__break_up(struct event_fds *fds, int first, int end, int part)
{
	int kept = end_of_kept(fds, first, end), err;

	for (int event = first; event < end; event++)
		counts__set_unsupported(fds->group->counts[event], 0, NULL);
	pr_info("the weak group of %s and %d more events cannot be counted at once: its events are "
		"counted separately",
		fds->group->evsels[first]->name, end - first - 1);
	for (int event = kept; event < end; event++)
		if (fds->leaders[event] >= 0)
			fds->leaders[event] = event;
	err = event_fds__open_group(fds, first, kept, part);
	for (int event = kept; !err && event < end; event++)
		err = event_fds__open_group(fds, event, event + 1, part);
	return err;
}

/*
 * Returns whether event_fds__open() must fail if the leader of this group is not supported. Returns
 * false if the backend does not ask for this (needs_leaders); if the event at index @first is not
 * in a group; if the group belongs to one of pstat's own metrics, which perf does not have; or if
 * the group belongs to a default metric, which the user did not ask for. (Even for a group, @end -
 * @first is 1 if the group consists of one perf event and tool events, such as duration_time,
 * because another backend counts the tool events.)
 */
static bool needs_leader(const struct event_fds *fds, int first, int end)
{
	const struct evsel *evsel = fds->group->evsels[first];

	bool leads_tools = evsel__is_group_leader(evsel) && evsel->nr_members > 1;

	if (!fds->how.needs_leaders || evsel->default_metric || evsel->own_metric)
		return false;
	return end - first > 1 || leads_tools;
}

/*
 * Returns whether the refused event @event is a member, but not the leader, of a weak group that
 * can be broken up.
 */
static bool can_break_up(const struct event_fds *fds, int first, int event, int end)
{
	return event > fds->leaders[event] && fds->group->evsels[event]->weak_group &&
	       end_of_kept(fds, first, end) < end;
}

/*
 * @err is an error that usually ends the session. Returns whether the session continues with the
 * other events in spite of this error (event_open_how.keeps_going).
 */
static bool goes_on(const struct event_fds *fds, int err)
{
	return fds->how.keeps_going && err != -ENOMEM && err != -EINTR;
}

/*
 * Opens the events of one perf group: the events from @first to @end - 1. Marks refused events as
 * unsupported. If a member is refused, still tries the later members, so that each event that the
 * machine cannot count is marked with its own error. If the leader is refused, does not try the
 * members. Returns the number of refused events, or -errno. If a weak group has to be broken up,
 * sets *@too_big and returns 0.
 */
static int event_fds__try_group(struct event_fds *fds, int first, int end, int part, bool *too_big)
{
	struct backend_group *group = fds->group;
	struct event_place at = { .pid = -1, .cpu = -1, .group_fd = -1 };
	int nr_refused = 0;

	for (int event = first; event < end; event++) {
		int err = fds->leaders[event] < 0 ? 0 :
						    event_fds__open_event(fds, event, part, &at);

		if (!err)
			continue;
		if (group->why->len)
			return err;
		if (!open_error__is_unsupported(err) && !goes_on(fds, err)) {
			open_error__explain(group->why, group->evsels[event], err, &at);
			return err;
		}
		*too_big = err == -EINVAL && !part && can_break_up(fds, first, event, end);
		if (*too_big)
			return 0;
		if (event == fds->leaders[event] && needs_leader(fds, first, end)) {
			open_error__explain_like_perf(group->perf_words, group->evsels[event], err,
						      &at);
			open_error__explain(group->why, group->evsels[event], err, &at);
			return err;
		}
		if (mark_unsupported(fds, event, part, err, &at))
			return -ENOMEM;
		nr_refused++;
		if (event == fds->leaders[event])
			break;
	}
	return nr_refused;
}

/*
 * Opens a perf group: the events from @first to @end - 1. If any event is refused, closes the
 * group, and then either breaks it up or marks all its events as unsupported. Returns 0 or -errno.
 */
static int event_fds__open_group(struct event_fds *fds, int first, int end, int part)
{
	struct backend_group *group = fds->group;
	struct event_place nowhere = { .pid = -1, .cpu = -1, .group_fd = -1 };
	bool too_big = false;
	int nr_refused = event_fds__try_group(fds, first, end, part, &too_big), err = 0;

	if (!nr_refused && !too_big)
		return 0;
	for (int event = first; event < end; event++)
		event_fds__close_part(fds, event, part);
	if (too_big)
		return event_fds__break_up(fds, first, end, part);
	if (nr_refused < 0)
		return nr_refused;
	for (int event = first; !err && event < end; event++)
		if (fds->leaders[event] >= 0 && !counts__err(group->counts[event], part))
			err = mark_unsupported(fds, event, part, -ECANCELED, &nowhere);
	return err;
}

/*
 * Marks an event that has the modifier R (retirement latency) as unsupported. The other events of
 * its group are counted. (perf stat 6.12 runs perf record to measure the latency.)
 */
static void refuse_retire_lat(struct backend_group *group, int event)
{
	static const char why[] =
		"modifier R asks for the retirement latency, which is computed from samples, "
		"and pstat takes none";

	pr_info("%s: %s", group->evsels[event]->name, why);
	counts__set_unsupported(group->counts[event], -EOPNOTSUPP, why);
}

/*
 * Sets fds->leaders for each event of the group that begins at index @first. Returns the index
 * after the group's last event. Sets -1 for events that are not opened: tool events, and events
 * that are already marked as unsupported. A group may begin with such events, so the leader is the
 * first event that is opened.
 */
static int event_fds__set_leaders(struct event_fds *fds, int first)
{
	const struct evsel *const *evsels = fds->group->evsels;
	int leader = -1, event;

	for (event = first;
	     event < fds->group->nr && evsels[event]->leader == evsels[first]->leader; event++) {
		bool perf_event;

		if (evsels[event]->retire_lat)
			refuse_retire_lat(fds->group, event);
		perf_event = evsels[event]->tool == TOOL_NONE &&
			     !fds->group->counts[event]->open_err;
		if (leader < 0 && perf_event)
			leader = event;
		fds->leaders[event] = perf_event ? leader : -1;
	}
	return event;
}

/* Returns the index after the last event of the perf group that begins at index @first. */
static int end_of_group(const struct event_fds *fds, int first)
{
	const struct evsel *const *evsels = fds->group->evsels;
	int leader = -1, event = first;

	for (; event < fds->group->nr && evsels[event]->leader == evsels[first]->leader; event++) {
		/* stop before an event that was split off from its weak group */
		if (leader >= 0 && fds->leaders[event] >= 0 && fds->leaders[event] != leader)
			break;
		leader = leader >= 0 ? leader : fds->leaders[event];
	}
	return event;
}

/*
 * Opens all events. Uses the same order as perf stat: all events for the first cgroup, then all
 * events for the second cgroup, and so on. Returns 0 or -errno.
 */
static int event_fds__open_all(struct event_fds *fds)
{
	int err = 0;

	for (int first = 0; first < fds->group->nr;)
		first = event_fds__set_leaders(fds, first);
	for (int part = 0; part < fds->nr_parts; part++) {
		for (int first = 0, end; !err && first < fds->group->nr; first = end) {
			end = end_of_group(fds, first);
			err = event_fds__open_group(fds, first, end, part);
		}
	}
	return err;
}

int event_fds__open(struct backend_group *group, const struct event_open_how *how,
		    struct event_fds **out)
{
	int err = event_fds__new(group, how, out);

	err = err ?: event_fds__open_all(*out);
	if (err) {
		event_fds__close(*out);
		*out = NULL;
	}
	return err;
}
