// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/event-fds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/fd-limit.h"
#include "util/count/open-error.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup.h"
#include "util/machine/cpumap.h"
#include "util/machine/threadmap.h"

struct event_fds {
	struct backend_group *group;
	int nr_cpus, nr_threads;
	bool *alone; /* [event]: its weak group was broken up */
	int *fds;    /* [event][cpu][thread], -1 where not open */
};

static int *event_fds__slot(const struct event_fds *fds, int event, int cpu_idx, int thread)
{
	return &fds->fds[((size_t)event * (size_t)fds->nr_cpus + (size_t)cpu_idx) * (size_t)fds->nr_threads +
			 (size_t)thread];
}

int event_fds__get(const struct event_fds *fds, int event, int cpu_idx, int thread)
{
	return *event_fds__slot(fds, event, cpu_idx, thread);
}

#define event_fds__for_each(fds, event, fd)                                   \
	for (int cpu_ = 0; cpu_ < (fds)->nr_cpus; cpu_++)                     \
		for (int thread_ = 0; thread_ < (fds)->nr_threads; thread_++) \
			if (((fd) = event_fds__get(fds, event, cpu_, thread_)) >= 0)

static void event_fds__close_event(struct event_fds *fds, int event)
{
	for (int cpu = 0; cpu < fds->nr_cpus; cpu++) {
		for (int thread = 0; thread < fds->nr_threads; thread++) {
			int *fd = event_fds__slot(fds, event, cpu, thread);

			if (*fd >= 0)
				close(*fd);
			*fd = -1;
		}
	}
}

static bool event_fds__leads(const struct event_fds *fds, int event)
{
	return fds->alone[event] || evsel__is_group_leader(fds->group->evsels[event]);
}

static void fill_attr(const struct event_fds *fds, int event, const struct event_open_how *how, union perf_attr *attr)
{
	*attr = fds->group->evsels[event]->attr;
	attr->attr.size = PERF_ATTR_SIZE;
	attr->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->attr.inherit = how->inherit;
	if (event_fds__leads(fds, event)) {
		attr->attr.disabled = how->disabled;
		attr->attr.enable_on_exec = how->enable_on_exec;
	}
	if (fds->group->counts[event]->user_only)
		attr->attr.exclude_kernel = attr->attr.exclude_hv = 1;
}

/* Where an event is opened. */
struct place {
	pid_t pid;
	int cpu, group_fd;
	unsigned long flags;
};

/* Some PMUs (msr among them) refuse an exclude_guest that nobody asked for. */
static int open_one(const struct evsel *evsel, union perf_attr *attr, const struct place *at)
{
	int fd = perf_sys__open(attr, at->pid, at->cpu, at->group_fd, at->flags);

	if (fd == -EINVAL && attr->attr.exclude_guest && !evsel->guest_host_given) {
		attr->attr.exclude_guest = 0;
		fd = perf_sys__open(attr, at->pid, at->cpu, at->group_fd, at->flags);
	}
	return fd;
}

/* The kernel's part is refused (perf_event_paranoid above 1), and nobody asked for it by name: user space is left. */
static bool may_drop_kernel(const struct event_fds *fds, int event, int err)
{
	const struct evsel *evsel = fds->group->evsels[event];

	return err == -EACCES && !evsel->exclude_given && !evsel->attr.attr.exclude_kernel &&
	       !fds->group->counts[event]->user_only;
}

static void drop_kernel(struct event_fds *fds, int event, union perf_attr *attr)
{
	fds->group->counts[event]->user_only = true;
	attr->attr.exclude_kernel = attr->attr.exclude_hv = 1;
	pr_info("%s: this user may not count the kernel (/proc/sys/kernel/perf_event_paranoid): user space is counted",
		fds->group->evsels[event]->name);
}

static void find_place(const struct event_fds *fds, int event, int cpu, int thread, const struct event_open_how *how,
		       struct place *at)
{
	const struct backend_group *group = fds->group;
	const struct evsel *evsel = group->evsels[event];
	const struct cgroup *cgroup = how->cgroups ? how->cgroups[evsel->idx] : NULL;
	int leader = event - (evsel->idx - evsel->leader->idx);

	*at = (struct place){ .pid = -1, .cpu = group->cpus->ids[cpu], .group_fd = -1 };
	if (group->threads)
		at->pid = group->threads->tids[thread];
	if (cgroup) {
		at->pid = cgroup->fd;
		at->flags = PERF_FLAG_PID_CGROUP;
	}
	if (!event_fds__leads(fds, event))
		at->group_fd = event_fds__get(fds, leader, cpu, thread);
}

/* Opens @event everywhere. 0; a positive errno when the machine cannot count it; -errno when the command must stop. */
static int event_fds__open_event(struct event_fds *fds, int event, const struct event_open_how *how, int *failed_cpu)
{
	struct backend_group *group = fds->group;
	const struct evsel *evsel = group->evsels[event];
	union perf_attr attr;
	struct place at;
	int fd;

	fill_attr(fds, event, how, &attr);
	for (int cpu = 0; cpu < fds->nr_cpus; cpu++) {
		int cpu_id = group->cpus->ids[cpu];

		if (cpu_id >= 0 && evsel->pmu_cpus && cpumap__index(evsel->pmu_cpus, cpu_id) < 0)
			continue;
		*failed_cpu = cpu_id;
		for (int thread = 0; thread < fds->nr_threads; thread++) {
			find_place(fds, event, cpu, thread, how, &at);
			fd = open_one(evsel, &attr, &at);
			if (may_drop_kernel(fds, event, fd)) {
				drop_kernel(fds, event, &attr);
				fd = open_one(evsel, &attr, &at);
			}
			if (fd == -ESRCH && group->threads)
				continue; /* the thread has ended meanwhile: it counts nothing more */
			if (fd < 0)
				return open_error__is_unsupported(fd) ? -fd : fd;
			*event_fds__slot(fds, event, cpu, thread) = fd;
		}
	}
	return 0;
}

static void mark_unsupported(struct backend_group *group, int event, int err, int cpu)
{
	const struct evsel *evsel = group->evsels[event];
	struct strbuf why = STRBUF_INIT;

	open_error__explain(&why, evsel, err, cpu);
	pr_info("%s", why.text);
	counts__set_unsupported(group->counts[event], err, why.text);
	strbuf__free(&why);
}

/* Opens the group of events that starts at @first; returns as event_fds__open_event() but for unsupported ones: 0. */
static int event_fds__open_group(struct event_fds *fds, int first, int nr, const struct event_open_how *how);

/* The PMU cannot count the whole weak group at once: its events are counted by themselves. */
static int event_fds__break_up(struct event_fds *fds, int first, int nr, const struct event_open_how *how)
{
	int err = 0;

	pr_info("the weak group of %s and %d more cannot be counted at once: its events are counted one by one",
		fds->group->evsels[first]->name, nr - 1);
	for (int event = first; event < first + nr; event++)
		fds->alone[event] = true;
	for (int event = first; !err && event < first + nr; event++)
		err = event_fds__open_group(fds, event, 1, how);
	return err;
}

static int event_fds__open_group(struct event_fds *fds, int first, int nr, const struct event_open_how *how)
{
	struct backend_group *group = fds->group;
	int err = 0, cpu = -1, failed = first;

	for (int event = first; !err && event < first + nr; event++) {
		failed = event;
		err = event_fds__open_event(fds, event, how, &cpu);
	}
	if (!err)
		return 0;
	for (int event = first; event < first + nr; event++)
		event_fds__close_event(fds, event);
	if (err == EINVAL && failed > first && group->evsels[first]->weak_group)
		return event_fds__break_up(fds, first, nr, how);
	if (err < 0) {
		struct strbuf why = STRBUF_INIT;

		open_error__explain(&why, group->evsels[failed], err, cpu);
		pr_err("%s", why.text);
		strbuf__free(&why);
		return err;
	}
	for (int event = first; event < first + nr; event++)
		mark_unsupported(group, event, event == failed ? -err : -ECANCELED, cpu);
	return 0;
}

static bool is_perf_event(const struct evsel *evsel)
{
	return evsel->tool == TOOL_NONE;
}

static int nr_perf_events(const struct backend_group *group)
{
	int nr = 0;

	for (int event = 0; event < group->nr; event++)
		nr += is_perf_event(group->evsels[event]);
	return nr;
}

/* Tracepoints only (--filter). The kernel reads the filter's text: what it does not understand is the user's mistake. */
static int set_filter(const struct evsel *evsel, int fd)
{
	int err = perf_sys__set_filter(fd, evsel->filter);

	if (err == -EINVAL)
		pr_err("--filter %s: the kernel does not take it for %s\n"
		       "the tracepoint's fields are in its file `format` in /sys/kernel/tracing/events",
		       evsel->filter, evsel->name);
	else if (err)
		pr_err("--filter %s: %s: %s", evsel->filter, evsel->name, strerror(-err));
	return err;
}

static int set_filters(struct event_fds *fds)
{
	int fd, err = 0;

	for (int event = 0; event < fds->group->nr; event++) {
		if (!fds->group->evsels[event]->filter)
			continue;
		event_fds__for_each(fds, event, fd) {
			err = set_filter(fds->group->evsels[event], fd);
			if (err)
				return err;
		}
	}
	return err;
}

static struct event_fds *event_fds__new(struct backend_group *group)
{
	struct event_fds *fds = calloc(1, sizeof(*fds));
	size_t size;

	if (!fds)
		return NULL;
	fds->group = group;
	fds->nr_cpus = group->cpus->nr;
	fds->nr_threads = group->threads ? group->threads->nr : 1;
	size = (size_t)group->nr * (size_t)fds->nr_cpus * (size_t)fds->nr_threads;
	fds->alone = calloc((size_t)group->nr + 1, sizeof(*fds->alone));
	fds->fds = malloc(sizeof(int) * (size ? size : 1));
	if (!fds->alone || !fds->fds) {
		event_fds__close(fds);
		return NULL;
	}
	memset(fds->fds, -1, sizeof(int) * size);
	return fds;
}

/* Told before the first is opened, rather than that the last cannot be. */
static int make_room(const struct event_fds *fds)
{
	uint64_t nr = (uint64_t)nr_perf_events(fds->group), needed, allowed;
	uint64_t places = (uint64_t)fds->nr_cpus * (uint64_t)fds->nr_threads;
	int err = fd_limit__make_room(nr * places, &needed, &allowed);

	if (err)
		pr_err("%" PRIu64 " events × %" PRIu64 " %s: %" PRIu64
		       " open files are needed, and this process may have %" PRIu64 "\n"
		       "raise the limit (ulimit -n %" PRIu64 "), or count fewer events, CPUs or threads",
		       nr, places, fds->group->threads ? "threads" : "CPUs", needed, allowed, needed);
	return err;
}

int event_fds__open(struct backend_group *group, const struct event_open_how *how, struct event_fds **out)
{
	struct event_fds *fds = event_fds__new(group);
	int err = fds ? make_room(fds) : -ENOMEM;

	*out = NULL;
	if (!fds)
		pr_err("out of memory for the fds of %d events", group->nr);
	for (int event = 0, nr; !err && event < group->nr; event += nr) {
		nr = evsel__is_group_leader(group->evsels[event]) ? group->evsels[event]->nr_members : 1;
		if (is_perf_event(group->evsels[event]))
			err = event_fds__open_group(fds, event, nr, how);
	}
	err = err ?: set_filters(fds);
	if (err)
		event_fds__close(fds);
	else
		*out = fds;
	return err;
}

void event_fds__close(struct event_fds *fds)
{
	if (!fds)
		return;
	if (fds->fds)
		for (int event = 0; event < fds->group->nr; event++)
			event_fds__close_event(fds, event);
	free(fds->alone);
	free(fds->fds);
	free(fds);
}

static int event_fds__switch(struct event_fds *fds, int (*turn)(int fd), const char *verb)
{
	struct backend_group *group = fds->group;
	int fd, err;

	for (int event = 0; event < group->nr; event++) {
		if (!event_fds__leads(fds, event))
			continue;
		event_fds__for_each(fds, event, fd) {
			err = turn(fd);
			if (err) {
				pr_err("%s: cannot %s the event: %s", group->evsels[event]->name, verb, strerror(-err));
				return err;
			}
		}
	}
	return 0;
}

int event_fds__enable(struct event_fds *fds)
{
	return event_fds__switch(fds, perf_sys__enable, "enable");
}

int event_fds__disable(struct event_fds *fds)
{
	return event_fds__switch(fds, perf_sys__disable, "disable");
}

/* An fd of a pinned event that lost its counter reads as end of file: it counts nothing from then on. */
static int read_one(int fd, struct reading *reading)
{
	ssize_t n = read(fd, reading, sizeof(*reading));

	if (n < 0)
		return -errno;
	return n == sizeof(*reading) ? 0 : -ENODATA;
}

int event_fds__read(struct event_fds *fds)
{
	struct backend_group *group = fds->group;

	for (int event = 0; event < group->nr; event++) {
		for (int cpu = 0; cpu < fds->nr_cpus; cpu++) {
			for (int thread = 0; thread < fds->nr_threads; thread++) {
				int fd = event_fds__get(fds, event, cpu, thread);
				struct reading total;
				int err;

				if (fd < 0)
					continue;
				err = read_one(fd, &total);
				if (err == -ENODATA)
					continue;
				if (err) {
					pr_err("%s: cannot read the event: %s", group->evsels[event]->name,
					       strerror(-err));
					return err;
				}
				counts__set(group->counts[event], cpu, thread, &total);
			}
		}
	}
	return 0;
}
