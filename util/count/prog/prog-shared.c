// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/prog/backend-prog-group.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_skel/prog_profiler.h"
#include "util/base/reason.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/prog/prog-fds.h"
#include "util/count/prog/prog-kernel.h"
#include "util/count/prog/prog-outliers.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/cgroup/cgroup.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/task/pid-ns.h"
#include "util/machine/task/threadmap.h"

int prog_shared__put_events(const struct prog_shape *shape, const struct backend_group *group,
			    const struct prog_fds *fds, int cpu, bool online)
{
	int err = 0;

	for (int i = 0; !err && i < group->nr; i++) {
		const struct prog_event *event = &shape->events[i];
		int fd = online ? prog_fds__get(fds, i, cpu) :
				  prog_fds__get_of_another(fds, i, cpu);

		if (event->kind == PROG_PLAIN || event->kind == PROG_TIMED)
			err = bpf_util__put_event(shape->events_map, event->number, shape->nr_cpus,
						  group->cpus->ids[cpu], fd, group->evsels[i]->name,
						  group->why);
	}
	return err;
}

static int fill_events(const struct prog_shape *shape, const struct backend_group *group,
		       const struct prog_fds *fds)
{
	int err = 0;

	for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++)
		err = prog_shared__put_events(shape, group, fds, cpu,
					      cpumap__index(group->online, group->cpus->ids[cpu]) >=
						      0);
	return err;
}

/*
 * Makes BPF programs skip runs on CPUs that are not counted. Call this before programs are
 * attached, because it overwrites the state of all CPUs in the map `cpu_runs`.
 */
static int skip_other_cpus(const struct prog_shape *shape, const struct backend_group *group,
			   const struct cpumap *possible)
{
	size_t size = prog_shape__runs_size(shape);
	char *values = calloc((size_t)possible->nr, size);
	__u32 key = 0;
	int err = 0;

	if (!values)
		return -ENOMEM;
	for (int i = 0; i < possible->nr; i++)
		((struct prog_cpu *)(values + size * (size_t)i))->skip =
			cpumap__index(group->cpus, possible->ids[i]) < 0;
	if (bpf_map_update_elem(shape->runs_map, &key, values, BPF_ANY))
		err = -errno;
	free(values);
	return reason__set(shape->why, err,
			   "-b: cannot pass the counted CPUs to the BPF programs: %s",
			   strerror(-err));
}

static int fill_tasks(struct prog_shape *shape, const struct stat_config *cfg)
{
	const __u8 yes = 1;
	int err;

	if (!cfg->threads)
		return 0;
	shape->filter = cfg->whole_processes ? PROG_FILTER_PROCESS : PROG_FILTER_THREAD;
	err = prog_shape__make_map(shape, "-b", BPF_MAP_TYPE_HASH, "tasks", sizeof(yes),
				   cfg->threads->nr, &shape->tasks_map);
	for (int i = 0; !err && i < cfg->threads->nr; i++) {
		pid_t id = cfg->threads->tids[i];

		if (cfg->whole_processes)
			id = threadmap__process_of(sysroots__host(), id);
		/* ignore a task that has ended */
		if (id > 0 && bpf_map_update_elem(shape->tasks_map, &id, &yes, BPF_ANY)) {
			err = -errno;
			reason__set(shape->why, err,
				    "-b: cannot pass task %d to the BPF programs: %s", id,
				    strerror(-err));
		}
	}
	return err;
}

static int add_cgroup(struct prog_shape *shape, const struct cgroup *cgroup)
{
	int err;

	if (shape->nr_cgroups == PROG_MAX_CGROUPS - 1)
		return reason__set(shape->why, -E2BIG,
				   "-b: runs can be counted for at most %d cgroups",
				   PROG_MAX_CGROUPS - 1);
	err = bpf_util__put_cgroup(shape->cgroups_map, shape->nr_cgroups, cgroup, "-b", shape->why);
	if (!err)
		shape->nr_cgroups++;
	return err;
}

/*
 * Returns the index of the set of sums (struct prog_set) for @cgroup, or -errno. If @cgroup has no
 * set yet, adds one. @known contains the cgroup of each existing set.
 */
static int set_of(struct prog_shape *shape, const struct cgroup **known,
		  const struct cgroup *cgroup)
{
	int err;

	for (int set = 0; set < shape->nr_cgroups; set++)
		if (known[set] == cgroup)
			return set;
	err = add_cgroup(shape, cgroup);
	if (err)
		return err;
	known[shape->nr_cgroups - 1] = cgroup;
	return shape->nr_cgroups - 1;
}

/*
 * Assigns a set of sums to each cgroup, and chooses the set that each event uses. With
 * --for-each-cgroup, the report shows each event for each cgroup. With -G, it shows each event only
 * for the cgroup of this event. Events without a cgroup use an additional set, which contains all
 * runs.
 */
static int fill_cgroups(struct prog_shape *shape, const struct backend_group *group,
			const struct stat_config *cfg)
{
	const struct cgroup *known[PROG_MAX_CGROUPS];
	int err, more = 0;

	if (!cfg->in_cgroups && !cfg->each_cgroup)
		return 0;
	err = prog_shape__make_map(shape, "-b", BPF_MAP_TYPE_CGROUP_ARRAY, "cgroups", sizeof(__u32),
				   PROG_MAX_CGROUPS, &shape->cgroups_map);
	for (int i = 0; !err && i < cfg->nr_each_cgroup; i++)
		err = add_cgroup(shape, cfg->each_cgroup[i]);
	if (!cfg->in_cgroups) {
		shape->nr_sets = shape->nr_cgroups;
		return err;
	}
	for (int i = 0; !err && i < group->nr; i++) {
		const struct cgroup *cgroup = group->evsels[i]->cgroup;
		int set = cgroup ? set_of(shape, known, cgroup) : 0;

		err = set < 0 ? set : 0;
		shape->events[i].set = set;
		more |= !cgroup;
	}
	for (int i = 0; !err && i < group->nr; i++)
		if (!group->evsels[i]->cgroup)
			shape->events[i].set = shape->nr_cgroups;
	shape->nr_sets = shape->nr_cgroups + more;
	return err;
}

/*
 * If BPF programs need the ids of tasks, and pstat is not in the initial PID namespace, stores
 * pstat's namespace in @shape. Fails if the kernel cannot tell BPF programs the ids in this
 * namespace.
 */
static int find_pid_ns(struct prog_shape *shape)
{
	struct pid_ns ns;
	int err;

	if (shape->filter == PROG_FILTER_NONE && shape->outlier_word < 0)
		return 0;
	err = pid_ns__find(sysroots__host(), 0, &ns);
	if (err)
		return reason__set(
			shape->why, err,
			"-b: cannot find out the PID namespace of pstat (/proc/self/ns/pid): %s",
			strerror(-err));
	if (pid_ns__is_first(&ns))
		return 0;
	err = prog_kernel__look(sysroots__host(), &shape->kernel, shape->why);
	if (!err && !shape->kernel.has_pid_ns)
		err = reason__set(
			shape->why, -EOPNOTSUPP,
			"%s: pstat runs in a PID namespace, and BPF programs of this kernel cannot "
			"find out the IDs of tasks there (bpf_get_ns_current_pid_tgid needs Linux "
			"5.7)\nrun pstat in the initial PID namespace",
			shape->outlier_word >= 0 ? "--outliers" : "-b with -p or -t");
	shape->pid_ns_dev = ns.dev;
	shape->pid_ns_ino = ns.ino;
	return err;
}

/* The largest per-CPU value that the kernel allows: PCPU_MIN_UNIT_SIZE of linux/percpu.h. */
#define MOST_TOTALS (32 * 1024)

static int check_size(const struct prog_shape *shape)
{
	if (prog_shape__totals_size(shape) <= MOST_TOTALS)
		return 0;
	return reason__set(shape->why, -E2BIG,
			   "-b: %u events for each of %d cgroups are more than a BPF map can hold\n"
			   "count fewer events, or fewer cgroups at once",
			   shape->words.clock + shape->words.plain + shape->words.timed,
			   shape->nr_sets);
}

int prog_shared__make_maps(struct prog_shape *shape, const struct backend_group *group,
			   const struct prog_fds *fds, const struct cpumap *possible,
			   const struct stat_config *cfg)
{
	int nr_events = (int)(shape->words.plain + shape->words.timed);
	int err;

	shape->nr_cpus = cpumap__last(possible) + 1;
	err = prog_shape__make_map(shape, "-b", BPF_MAP_TYPE_PERF_EVENT_ARRAY, "events",
				   sizeof(__u32), nr_events * shape->nr_cpus, &shape->events_map);
	if (!err)
		err = prog_shape__make_map(shape, "-b", BPF_MAP_TYPE_PERCPU_ARRAY, "cpu_runs",
					   prog_shape__runs_size(shape), 1, &shape->runs_map);
	err = err ?: fill_events(shape, group, fds);
	err = err ?: shape->outlier_word >= 0 ? prog_outliers__make_maps(shape) : 0;
	err = err ?: skip_other_cpus(shape, group, possible);
	err = err ?: fill_tasks(shape, cfg);
	err = err ?: find_pid_ns(shape);
	err = err ?: fill_cgroups(shape, group, cfg);
	return err ?: check_size(shape);
}

void prog_shared__add_lost(const struct prog_shape *shape, const struct cpumap *possible,
			   uint64_t *lost)
{
	size_t size = prog_shape__runs_size(shape);
	char *values = calloc((size_t)possible->nr, size);
	__u32 key = 0;

	if (values && !bpf_map_lookup_elem(shape->runs_map, &key, values))
		for (int i = 0; i < possible->nr; i++)
			for (int cause = 0; cause < PROG_NR_LOST; cause++)
				lost[cause] += ((struct prog_cpu *)(values + size * (size_t)i))
						       ->lost[cause];
	free(values);
}
