// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/fd/event-fds-table.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-sys.h"
#include "util/base/log.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/counts.h"
#include "util/count/fd/cgroup-clock.h"
#include "util/count/fd/event-open.h"
#include "util/count/fd-limit.h"
#include "util/count/last-close.h"
#include "util/count/subjects.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/symbols/elf-symbol.h"
#include "util/machine/task/threadmap.h"

/*
 * If a CPU has at least this number of events, pstat moves its own thread to this CPU before it
 * enables or disables them.
 */
#define MANY_EVENTS 32

int event_fds__get(const struct event_fds *fds, int event, int cpu_idx, int thread)
{
	return *event_fds__slot(fds, event, cpu_idx, thread);
}

int event_fds__leader(const struct event_fds *fds, int event)
{
	return fds->leaders[event];
}

void event_fds__close_part(struct event_fds *fds, int event, int part)
{
	const struct perf_event_attr *attr = &fds->group->evsels[event]->attr.attr;

	for (int cpu = 0; cpu < fds->nr_cpus; cpu++) {
		for (int thread = event_fds__column(fds, part);
		     thread < event_fds__column(fds, part + 1); thread++) {
			int *fd = event_fds__slot(fds, event, cpu, thread);

			if (*fd >= 0 && fds->how.closes_late && attr->type == PERF_TYPE_TRACEPOINT)
				last_close__put(*fd, attr->config);
			else if (*fd >= 0)
				close(*fd);
			*fd = -1;
		}
	}
}

void event_fds__close(struct event_fds *fds)
{
	if (!fds)
		return;
	if (fds->fds)
		for (int event = 0; event < fds->group->nr; event++)
			for (int part = 0; part < fds->nr_parts; part++)
				event_fds__close_part(fds, event, part);
	free(fds->leaders);
	free(fds->bases);
	free(fds->is_off);
	free(fds->fds);
	free(fds);
}

bool event_fds__is_offline(const struct event_fds *fds, int cpu, const struct cpumap *online)
{
	int id = fds->group->cpus->ids[cpu];

	return id >= 0 && online && cpumap__index(online, id) < 0;
}

static int event_fds__alloc(struct event_fds *fds)
{
	struct backend_group *group = fds->group;
	size_t size = (size_t)group->nr * (size_t)fds->nr_cpus * (size_t)fds->nr_threads;

	fds->leaders = calloc((size_t)group->nr + 1, sizeof(int));
	fds->fds = malloc(sizeof(int) * (size + 1));
	fds->is_off = calloc((size_t)fds->nr_cpus + 1, sizeof(bool));
	if (fds->fds) /* before any return, because event_fds__close() reads fds->fds */
		memset(fds->fds, -1, sizeof(int) * size);
	if (!fds->leaders || !fds->fds || !fds->is_off)
		return -ENOMEM;
	for (int cpu = 0; cpu < fds->nr_cpus; cpu++)
		fds->is_off[cpu] = event_fds__is_offline(fds, cpu, group->online);
	return 0;
}

static bool counts_cgroups(const struct event_fds *fds)
{
	const struct backend_group *group = fds->group;
	bool any = group->subjects && group->subjects->list[0].cgroup;

	for (int event = 0; !any && event < group->nr; event++)
		any = group->evsels[event]->cgroup;
	return any;
}

/* Returns the number of CPUs on which @event will be opened. */
static uint64_t nr_open_cpus(const struct event_fds *fds, int event)
{
	const struct backend_group *group = fds->group;
	uint64_t nr = 0;

	for (int cpu = 0; cpu < fds->nr_cpus; cpu++)
		nr += !fds->is_off[cpu] &&
		      counts__is_on(group->counts[event], group->cpus->ids[cpu]);
	return nr;
}

/* Raises the limit on open files if necessary. Returns 0 or -EMFILE. */
static int make_room(const struct event_fds *fds)
{
	uint64_t nr = 0, places = 0, most = 0, needed, allowed;
	const char *of = fds->group->threads ? "threads" : "CPUs";
	int err;

	for (int event = 0; event < fds->group->nr; event++) {
		uint64_t cpus = nr_open_cpus(fds, event);

		if (fds->group->evsels[event]->tool != TOOL_NONE)
			continue;
		nr += (uint64_t)fds->nr_parts;
		places += cpus * (uint64_t)fds->nr_threads;
		most = cpus > most ? cpus : most;
	}
	most *= (uint64_t)event_fds__column(fds, 1);
	err = fd_limit__make_room(
		places + fds->how.more_files +
			(counts_cgroups(fds) ? (uint64_t)cgroup_clock__nr_files(fds) : 0),
		&needed, &allowed);
	if (!nr)
		return reason__set(fds->group->why, err,
				   "%" PRIu64
				   " open files are needed, but this process may open only %" PRIu64
				   "\nraise the limit (ulimit -n %" PRIu64 ")",
				   needed, allowed, needed);
	return reason__set(
		fds->group->why, err,
		"%" PRIu64 " events × %s%" PRIu64 " %s: %" PRIu64
		" open files are needed, but this process may open only %" PRIu64 "\n"
		"raise the limit (ulimit -n %" PRIu64 "), or count fewer events, CPUs or threads",
		nr, places < nr * most ? "up to " : "", most, of, needed, allowed, needed);
}

/*
 * Warns about offline CPUs in the cpumask of an event's PMU. The kernel lists only online CPUs in a
 * cpumask, but pstat reads the cpumask only once. A CPU may go offline later, between two
 * repetitions of -r.
 */
static void warn_of_offline(const struct event_fds *fds, int event)
{
	const struct evsel *evsel = fds->group->evsels[event];

	for (int cpu = 0; evsel->is_uncore && evsel->pmu_cpus && cpu < fds->nr_cpus; cpu++) {
		int id = fds->group->cpus->ids[cpu];

		if (fds->is_off[cpu] && cpumap__index(evsel->pmu_cpus, id) >= 0)
			pr_warn_once(
				"CPU %d is in the cpumask of an event's PMU, but it is offline: "
				"the count of its package is missing until the CPU comes online",
				id);
	}
}

int event_fds__new(struct backend_group *group, const struct event_open_how *how,
		   struct event_fds **out)
{
	struct event_fds *fds = calloc(1, sizeof(*fds));
	int err = -ENOMEM;

	*out = fds;
	if (fds) {
		fds->group = group;
		fds->how = *how;
		fds->at_exec = how->enable_on_exec;
		fds->on = !how->disabled;
		fds->nr_cpus = group->cpus->nr;
		fds->nr_parts = subjects__cgroups(group->subjects);
		fds->nr_threads = group->subjects ? group->subjects->nr :
				  group->threads  ? group->threads->nr :
						    1;
		err = event_fds__alloc(fds);
	}
	err = err ?: make_room(fds);
	for (int event = 0; !err && event < group->nr; event++)
		warn_of_offline(fds, event);
	return err;
}

void event_open_how__fill_attr(const struct event_open_how *how, const struct evsel *evsel,
			       bool leads, union perf_attr *attr)
{
	*attr = evsel->attr;
	attr->attr.size = PERF_ATTR_SIZE;
	attr->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->attr.inherit = how->inherit;
	attr->attr.freq = how->sample_freq != 0;
	attr->attr.sample_period = how->sample_freq ?: how->sample_period;
	attr->attr.sample_type = how->sample_type;
	if (leads) {
		attr->attr.disabled = how->disabled;
		attr->attr.enable_on_exec = how->enable_on_exec;
	}
}

void event_fds__fill_attr(const struct event_fds *fds, int event, union perf_attr *attr)
{
	event_open_how__fill_attr(&fds->how, fds->group->evsels[event],
				  fds->leaders[event] == event, attr);
	if (fds->group->counts[event]->left_out & LEFT_OUT_KERNEL)
		attr->attr.exclude_kernel = attr->attr.exclude_hv = 1;
	if (fds->group->counts[event]->left_out & LEFT_OUT_GUESTS)
		attr->attr.exclude_guest = 1;
}

/*
 * Moves this thread to CPU @cpu_id, where the events of this CPU can be enabled and disabled
 * faster. On any other CPU, the kernel has to send an interrupt for each event and wait. If the
 * move fails, pstat continues on another CPU, more slowly.
 */
static void move_to(int cpu_id)
{
	cpu_set_t one;

	if (cpu_id >= CPU_SETSIZE)
		return;
	CPU_ZERO(&one);
	CPU_SET(cpu_id, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static int event_fds__switch_on(struct event_fds *fds, int cpu, int (*turn)(int fd),
				const char *verb)
{
	const struct backend_group *group = fds->group;

	/*
	 * the events of a thread or cgroup should start or stop at almost the same time, so switch
	 * all of them before the events of the next thread or cgroup
	 */
	for (int thread = 0; thread < fds->nr_threads; thread++) {
		for (int event = 0; event < group->nr; event++) {
			int fd = fds->leaders[event] == event ?
					 event_fds__get(fds, event, cpu, thread) :
					 -1;
			int err = fd < 0 ? 0 : turn(fd);

			if (err)
				return reason__set(group->why, err, "%s: cannot %s the event: %s",
						   group->evsels[event]->name, verb,
						   strerror(-err));
		}
	}
	return 0;
}

/* Returns whether any event is open on the CPU. */
static bool is_used(const struct event_fds *fds, int cpu)
{
	for (int event = 0; event < fds->group->nr; event++)
		for (int thread = 0; thread < fds->nr_threads; thread++)
			if (event_fds__get(fds, event, cpu, thread) >= 0)
				return true;
	return false;
}

static int event_fds__switch(struct event_fds *fds, int (*turn)(int fd), const char *verb)
{
	bool moves = fds->group->nr * fds->nr_parts >= MANY_EVENTS && fds->group->cpus->ids[0] >= 0;
	cpu_set_t before;
	int err = 0;

	moves = moves && !sched_getaffinity(0, sizeof(before), &before);
	for (int cpu = 0; !err && cpu < fds->nr_cpus; cpu++) {
		if (moves && is_used(fds, cpu))
			move_to(fds->group->cpus->ids[cpu]);
		err = event_fds__switch_on(fds, cpu, turn, verb);
	}
	if (moves)
		sched_setaffinity(0, sizeof(before), &before);
	return err;
}

int event_fds__enable(struct event_fds *fds)
{
	int *clocks, err;

	if (fds->at_exec) {
		/*
		 * the exec will enable the events; later calls of this function have to enable them
		 */
		fds->at_exec = false;
		return 0;
	}
	err = cgroup_clock__start(fds, &clocks);
	err = err ?: event_fds__switch(fds, perf_sys__enable, "enable");
	cgroup_clock__stop(fds, clocks);
	fds->on = true;
	return err;
}

int event_fds__disable(struct event_fds *fds)
{
	fds->on = false;
	return event_fds__switch(fds, perf_sys__disable, "disable");
}

int event_fds__stop(struct event_fds *fds)
{
	for (int event = 0; fds->how.closes_late && event < fds->group->nr; event++)
		if (fds->group->evsels[event]->attr.attr.type == PERF_TYPE_TRACEPOINT)
			return event_fds__disable(fds);
	fds->on = false;
	return 0;
}

void event_fds__give_counters_back(const struct event_fds *fds)
{
	int fd;

	for (int event = 0; fds && fds->fds && event < fds->group->nr; event++)
		if (!evsel__always_counts(fds->group->evsels[event]))
			event_fds__for_each(fds, event, fd)
				perf_sys__disable(fd);
}

/* If a pinned event has lost its counter, read(2) returns 0 (end of file). */
int event_fds__read_fd(int fd, struct reading *reading)
{
	ssize_t n = read(fd, reading, sizeof(*reading));

	if (n < 0)
		return -errno;
	return n == sizeof(*reading) ? 0 : -ENODATA;
}

int event_fds__read_total(const struct event_fds *fds, int event, int cpu, int thread,
			  struct reading *total)
{
	int fd = event_fds__get(fds, event, cpu, thread), err;
	const struct reading *base =
		fds->bases ? &fds->bases[event_fds__place(fds, event, cpu, thread)] : NULL;

	err = fd < 0 ? -ENODATA : event_fds__read_fd(fd, total);
	if (err && (err != -ENODATA || !base || !base->enabled))
		return err;
	if (err)
		*total = (struct reading){ 0 };
	if (base)
		reading__add(total, base);
	return 0;
}

static int event_fds__read_column(struct event_fds *fds, int event, int thread)
{
	struct backend_group *group = fds->group;
	const int *fd = event_fds__slot(fds, event, 0, thread);

	for (int cpu = 0; cpu < fds->nr_cpus; cpu++, fd += fds->nr_threads) {
		struct reading total;
		/* usually no CPU has gone offline, so there are no counts of closed fds to add */
		int err = *fd >= 0 && !fds->bases ?
				  event_fds__read_fd(*fd, &total) :
				  event_fds__read_total(fds, event, cpu, thread, &total);

		if (err == -ENODATA)
			continue;
		if (err)
			return reason__set(group->why, err, "%s: cannot read the event: %s",
					   group->evsels[event]->name, strerror(-err));
		counts__set(group->counts[event], cpu, thread, &total);
	}
	return 0;
}

int event_fds__read(struct event_fds *fds)
{
	int err = 0;

	for (int thread = 0; thread < fds->nr_threads; thread++)
		for (int event = 0; !err && event < fds->group->nr; event++)
			err = event_fds__read_column(fds, event, thread);
	return err;
}

int event_fds__move_breakpoints(struct event_fds *fds, pid_t pid)
{
	struct backend_group *group = fds->group;

	for (int event = 0; event < group->nr; event++) {
		const struct evsel *evsel = group->evsels[event];
		union perf_attr attr;
		uint64_t bias;
		int fd, err;

		if (!evsel->symbol_file)
			continue;
		err = elf_symbol__load_bias(sysroots__host(), pid, evsel->symbol_file, &bias);
		if (err)
			return reason__set(group->why, err,
					   "%s: cannot find where %s was loaded: %s", evsel->name,
					   evsel->symbol_file, strerror(-err));
		event_fds__fill_attr(fds, event, &attr);
		attr.attr.bp_addr += bias;
		/*
		 * at the exec, the kernel enabled the event and cleared enable_on_exec; the move
		 * must not disable the event
		 */
		if (attr.attr.enable_on_exec)
			attr.attr.enable_on_exec = attr.attr.disabled = 0;
		event_fds__for_each(fds, event, fd) {
			err = event_open__move(fd, &attr);
			if (err)
				return reason__set(
					group->why, err,
					"%s: cannot move the breakpoint to 0x%llx: %s", evsel->name,
					(unsigned long long)attr.attr.bp_addr, strerror(-err));
		}
	}
	return 0;
}
