// SPDX-License-Identifier: GPL-2.0-only
#include "util/count/scope/scope-programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/types.h>
#include "bpf_skel/gate.h"
#include "bpf_skel/scope.h"
#include "bpf_skel/scope.skel.h"
#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/backend.h"
#include "util/count/bpf-util.h"
#include "util/count/counts.h"
#include "util/count/fd/event-fds.h"
#include "util/count/scope/scope-class.h"
#include "util/count/scope/scope-func-probes.h"
#include "util/count/scope/scope-outliers.h"
#include "util/count/scope/scope-params.h"
#include "util/count/scope/scope-sections.h"
#include "util/count/scope/scope-shape.h"
#include "util/count/scope/scope-threads.h"
#include "util/count/share/gate-links.h"
#include "util/count/share/scope-links.h"
#include "util/count/stat-config.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/machine/scope/scope.h"
#include "util/machine/task/pid-ns.h"
#include "util/machine/task/threadmap.h"

void scope_programs__init(struct scope_programs *programs)
{
	*programs = (struct scope_programs){
		.threads_map = -1,
		.switch_fd = -1,
		.exit_fd = -1,
		.exec_fd = -1,
	};
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void scope_programs__free(struct scope_programs *programs)
{
	close_fd(&programs->switch_fd);
	close_fd(&programs->exit_fd);
	close_fd(&programs->exec_fd);
	scope_func_probes__end_trial(programs);
	scope_bpf__destroy(programs->skel);
	close_fd(&programs->threads_map);
	programs->skel = NULL;
}

/* ---- the tasks that are counted ---- */

/*
 * Returns whether the map `tasks` contains the IDs of processes, not of threads. With --per-thread,
 * the map contains the IDs of threads, because each thread has a separate row.
 */
static bool counts_processes(const struct stat_config *cfg)
{
	return cfg->whole_processes && cfg->aggr_mode != AGGR_THREAD;
}

static int set_filter(struct scope_programs *programs, const struct stat_config *cfg)
{
	struct scope_bpf *skel = programs->skel;
	struct pid_ns ns;
	int err;

	if (!cfg->threads && !cfg->outliers)
		return 0;
	if (cfg->threads)
		skel->rodata->filter = counts_processes(cfg) ? PROG_FILTER_PROCESS :
							       PROG_FILTER_THREAD;
	err = pid_ns__find(sysroots__host(), 0, &ns);
	if (!err && !pid_ns__is_first(&ns)) {
		skel->rodata->pid_ns_dev = ns.dev;
		skel->rodata->pid_ns_ino = ns.ino;
	}
	/* the additional entry is for pstat itself, when pstat measures the cost of counting */
	return err   ?:
		       bpf_map__set_max_entries(skel->maps.tasks,
						(cfg->threads ? (__u32)cfg->threads->nr : 0) + 1);
}

static int fill_tasks(const struct scope_programs *programs, const struct stat_config *cfg)
{
	for (int i = 0; cfg->threads && i < cfg->threads->nr; i++) {
		pid_t id = cfg->threads->tids[i];
		const __u32 row = (__u32)i;

		if (counts_processes(cfg))
			id = threadmap__process_of(sysroots__host(), id);
		/* ignore a process that has ended */
		if (id > 0 && bpf_map__update_elem(programs->skel->maps.tasks, &id, sizeof(id),
						   &row, sizeof(row), BPF_ANY))
			return -errno;
	}
	return 0;
}

int scope_programs__count_self(struct scope_programs *programs, bool on)
{
	const struct bpf_map *tasks = programs->skel->maps.tasks;
	enum prog_filter filter = programs->skel->rodata->filter;
	pid_t id = filter == PROG_FILTER_PROCESS ? getpid() : gettid();
	__u32 *row = &programs->own_row, none = 0;
	int pidfd;

	if (filter == PROG_FILTER_NONE)
		return 0;
	if (on) {
		programs->is_listed =
			!bpf_map__lookup_elem(tasks, &id, sizeof(id), row, sizeof(*row), 0);
		return bpf_map__update_elem(tasks, &id, sizeof(id), &none, sizeof(none), BPF_ANY);
	}
	/*
	 * the programs check only once whether a thread is counted: when they create its state.
	 * Delete the state of the calling thread, so that they check again
	 */
	pidfd = (int)syscall(SYS_pidfd_open, gettid(), 0);
	if (pidfd >= 0) {
		bpf_map_delete_elem(programs->threads_map, &pidfd);
		close(pidfd);
	}
	if (programs->is_listed)
		return bpf_map__update_elem(tasks, &id, sizeof(id), row, sizeof(*row), BPF_ANY);
	return bpf_map__delete_elem(tasks, &id, sizeof(id), 0);
}

static int fill_cgroups(const struct scope_programs *programs, const struct scope_shape *shape,
			struct strbuf *why)
{
	int map_fd = bpf_map__fd(programs->skel->maps.cgroups), err = 0;

	for (int i = 0; !err && i < shape->nr_cgroups; i++)
		err = bpf_util__put_cgroup(map_fd, i, shape->cgroups[i], "--scope", why);
	return err;
}

/* ---- loading ---- */

static int set_sizes(struct scope_programs *programs, const struct scope_shape *shape)
{
	struct scope_bpf *skel = programs->skel;
	const struct scope_words *words = &shape->words;
	uint32_t row = (uint32_t)sizeof(uint64_t) * (words->words ?: 1);
	uint32_t reads = (words->plain + words->timed) * (uint32_t)shape->nr_cpus;
	int err;

	skel->rodata->shape = *words;
	skel->rodata->nr_cpus = (uint32_t)shape->nr_cpus;
	skel->rodata->per_thread = shape->per_thread;
	skel->rodata->spare_row = (uint32_t)shape->nr_rows;
	skel->rodata->row_size = row;
	skel->rodata->depth = programs->depth;
	err = bpf_map__set_max_entries(skel->maps.events, reads ?: 1);
	err = err   ?:
		      bpf_map__set_value_size(skel->maps.totals,
					      (__u32)scope_shape__totals_size(shape));
	err = err   ?:
		      bpf_map__set_max_entries(skel->maps.totals,
					       ((__u32)shape->nr_rows + 2) * (__u32)shape->nr_sets);
	err = err ?: bpf_map__set_value_size(skel->maps.at_switch, 2 * row);
	err = err ?: bpf_map__set_value_size(skel->maps.tasks, sizeof(__u32));
	skel->rodata->nr_sets = (uint32_t)shape->nr_sets;
	skel->rodata->nr_cgroups = (uint32_t)shape->nr_cgroups;
	skel->rodata->inclusive = shape->inclusive;
	err = err   ?:
		      bpf_map__set_max_entries(skel->maps.cgroups,
					       shape->nr_cgroups ? (__u32)shape->nr_cgroups : 1);
	err = err ?: scope_outliers__set_sizes(programs, shape);
	return err ?: bpf_map__reuse_fd(skel->maps.threads, programs->threads_map);
}

/*
 * The maximum size in bytes of the map `totals`. The size is limited because maps cannot be swapped
 * out.
 */
#define TOTALS_MOST (256ULL << 20)
/*
 * The maximum number of rows with --per-thread. A cookie (SCOPE_COOKIE()) has 16 bits for the row,
 * and scope_calibrate() needs two additional rows.
 */
#define THREADS_MOST (UINT16_MAX - 2)

static int check_totals(const struct scope_shape *shape, struct strbuf *why)
{
	uint64_t most = TOTALS_MOST >> 20, needed = scope_shape__totals_size(shape);

	needed = (needed * (uint64_t)shape->nr_rows * (uint64_t)shape->nr_sets *
		  (uint64_t)shape->nr_cpus) >>
		 20;
	if (shape->per_thread)
		return reason__set(why, needed > most || shape->nr_rows > THREADS_MOST ? -E2BIG : 0,
				   "--per-thread: --scope cannot count %d threads separately on %d "
				   "CPUs\nchoose fewer threads with -p or -t",
				   shape->nr_rows, shape->nr_cpus);
	return reason__set(why, needed > most ? -E2BIG : 0,
			   "--per-scope: the totals of %d scopes on %d CPUs need %" PRIu64
			   " MiB, and pstat uses at most %" PRIu64 " MiB\nwrite a narrower glob%s",
			   shape->nr_rows, shape->nr_cpus, needed, most,
			   shape->hist_word >= 0 ? ", or omit --hist" : "");
}

static int set_cpus(struct scope_programs *programs, const struct scope_shape *shape,
		    struct strbuf *why)
{
	struct scope_bpf__rodata *rodata = programs->skel->rodata;
	const struct cpumap *cpus = shape->some_cpus;

	if (!cpus)
		return 0;
	for (int i = 0; i < cpus->nr && cpus->ids[i] < SCOPE_MAX_CPUS; i++)
		rodata->cpu_mask[cpus->ids[i] / 64] |= 1ULL << cpus->ids[i] % 64;
	return reason__set(why, cpumap__last(cpus) >= SCOPE_MAX_CPUS ? -E2BIG : 0,
			   "-C: --scope cannot count on CPU %d, but only on CPUs up to %d",
			   cpumap__last(cpus), SCOPE_MAX_CPUS - 1);
}

static void use_pair(struct bpf_program *begin, struct bpf_program *end, bool used, int attach_type)
{
	bpf_program__set_autoload(begin, used);
	bpf_program__set_autoload(end, used);
	if (!attach_type)
		return;
	bpf_program__set_expected_attach_type(begin, (enum bpf_attach_type)attach_type);
	bpf_program__set_expected_attach_type(end, (enum bpf_attach_type)attach_type);
}

static void choose_programs(struct scope_programs *programs, const struct stat_config *cfg)
{
	struct scope_bpf *skel = programs->skel;
	/* cfg->scopes is NULL for --version -vv: try only the programs for user space */
	unsigned int classes = cfg->scopes ? scope_class__all(cfg->scopes) : 1U << SCOPE_CLASS_USER;
	bool user = classes & SCOPE_CLASSES_USER;
	bool func = classes & SCOPE_CLASSES_FUNC;
	bool tp = classes & 1U << SCOPE_CLASS_TP;
	bool syscall = classes & 1U << SCOPE_CLASS_SYSCALL;
	/*
	 * to measure the cost of probes in the kernel, pstat counts runs from the entry of one
	 * system call to the entry of another, so it needs pstat_sys_enter
	 */
	bool calibrates = !cfg->no_calibrate && (func || tp);

	programs->multi = user && scope_links__have_multi();
	use_pair(skel->progs.pstat_begin, skel->progs.pstat_end, user,
		 programs->multi ? SCOPE_TRACE_UPROBE_MULTI : 0);
	use_pair(skel->progs.pstat_tp_begin, skel->progs.pstat_tp_end, tp, 0);
	bpf_program__set_autoload(skel->progs.pstat_sys_enter, syscall || calibrates);
	bpf_program__set_autoload(skel->progs.pstat_sys_exit, syscall);
	if (programs->preemptible) {
		bpf_program__set_type(skel->progs.pstat_sys_enter, BPF_PROG_TYPE_TRACEPOINT);
		bpf_program__set_type(skel->progs.pstat_sys_exit, BPF_PROG_TYPE_TRACEPOINT);
	}
	programs->params[SCOPE_PARAM_SYSCALL_EVENTS] = programs->preemptible;
	skel->rodata->several_kinds = cfg->scopes && scope_class__have_several_kinds(cfg->scopes);
	programs->params[SCOPE_PARAM_KINDS] = skel->rodata->several_kinds;
	programs->params[SCOPE_PARAM_SYSCALL_POINTS] =
		cfg->scopes && scope_class__have_syscall_points(cfg->scopes);
}

static int load(struct scope_programs *programs, const struct scope_shape *shape,
		const struct stat_config *cfg, uint32_t switch_id, struct strbuf *why)
{
	struct scope_bpf *skel;
	int err = bpf_util__use_tp_btf(switch_id);

	err = err ?: scope_sections__register();
	err = err ?: scope_threads__make_map(programs, shape, why);
	if (err)
		return err;
	skel = programs->skel = scope_bpf__open();
	if (!skel)
		return -errno;
	err = set_sizes(programs, shape);
	err = err ?: set_cpus(programs, shape, why);
	err = err ?: set_filter(programs, cfg);
	err = err ?: gate_links__prepare(GATE_PROGRAMS(skel), cfg->points);
	err = err ?: bpf_map__set_autocreate(skel->maps.gate_changed, cfg->points);
	choose_programs(programs, cfg);
	err = err ?: scope_func_probes__choose(programs, cfg, why);
	scope_params__set(programs->params, shape, programs->depth);
	err = err ?: scope_params__write(skel->obj, programs->params);
	err = err ?: scope_bpf__load(skel);
	if (err || scope_params__are_written(skel->obj))
		return err;
	return reason__set(why, -EINVAL,
			   "this build of pstat is broken: a BPF program of --scope contains a "
			   "parameter without a value");
}

int scope_programs__put_events(const struct scope_programs *programs,
			       const struct scope_shape *shape, const struct backend_group *group,
			       const struct event_fds *fds, int cpu, bool online)
{
	int map_fd = bpf_map__fd(programs->skel->maps.events), err = 0;

	for (int i = 0; !err && i < group->nr; i++) {
		const struct scope_event *event = &shape->events[i];
		int fd = online ? event_fds__get(fds, i, cpu, 0) :
				  event_fds__get_of_another(fds, i, cpu);

		if (event->kind == SCOPE_PLAIN || event->kind == SCOPE_TIMED)
			err = bpf_util__put_event(map_fd, event->number, shape->nr_cpus,
						  group->cpus->ids[cpu], fd, group->evsels[i]->name,
						  group->why);
	}
	return err;
}

/*
 * @err is the result of loading the programs. If loading failed because the kernel has no
 * bpf_loop(), stores this reason in @why: the error that libbpf returns (EINVAL) does not show it.
 * Returns 0 or -errno.
 */
static int check_helper(int err, struct strbuf *why)
{
	if (!err || err == -ENOMEM ||
	    libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_loop, NULL))
		return err;
	return reason__set(why, -EOPNOTSUPP,
			   "--scope needs Linux 5.17 or later: BPF programs of this kernel cannot "
			   "call bpf_loop()");
}

int scope_programs__load(struct scope_programs *programs, const struct scope_shape *shape,
			 const struct backend_group *group, const struct event_fds *fds,
			 const struct stat_config *cfg)
{
	uint32_t switch_id = 0;
	int err = check_totals(shape, group->why);

	err = err ?: scope_sections__find_switch(&switch_id, group->why);
	if (err)
		return err;
	programs->preemptible = scope__programs_are_preempted(sysroots__host());
	err = check_helper(load(programs, shape, cfg, switch_id, group->why), group->why);
	err = err ?: fill_tasks(programs, cfg);
	err = err ?: fill_cgroups(programs, shape, group->why);
	if (err)
		return bpf_util__store_load(
			group->why, err, "--scope: the counting programs cannot be loaded", true);
	for (int cpu = 0; !err && cpu < group->cpus->nr; cpu++)
		err = scope_programs__put_events(
			programs, shape, group, fds, cpu,
			cpumap__index(group->online, group->cpus->ids[cpu]) >= 0);
	return err;
}

static int watch(const struct bpf_program *prog, const char *tracepoint, int *fd,
		 struct strbuf *why)
{
	int err;

	*fd = bpf_raw_tracepoint_open(tracepoint, bpf_program__fd(prog));
	if (*fd >= 0)
		return 0;
	err = -errno;
	*fd = -1;
	return reason__set(why, err, "--scope: the program %s cannot be attached: %s",
			   bpf_program__name(prog), strerror(-err));
}

int scope_programs__watch(struct scope_programs *programs, struct strbuf *why)
{
	const struct scope_bpf *skel = programs->skel;
	int err = watch(skel->progs.pstat_on_switch, NULL, &programs->switch_fd, why);

	err = err   ?:
		      watch(skel->progs.pstat_on_exit, "sched_process_exit", &programs->exit_fd,
			    why);
	return err   ?:
		       watch(skel->progs.pstat_on_exec, "sched_process_exec", &programs->exec_fd,
			     why);
}

int scope_programs__watch_last(struct scope_programs *programs, const char *tracepoint,
			       struct strbuf *why)
{
	const struct scope_bpf *skel = programs->skel;

	if (!strcmp(tracepoint, "sched_switch")) {
		close_fd(&programs->switch_fd);
		return watch(skel->progs.pstat_on_switch, NULL, &programs->switch_fd, why);
	}
	if (!strcmp(tracepoint, "sched_process_exit")) {
		close_fd(&programs->exit_fd);
		return watch(skel->progs.pstat_on_exit, tracepoint, &programs->exit_fd, why);
	}
	if (!strcmp(tracepoint, "sched_process_exec")) {
		close_fd(&programs->exec_fd);
		return watch(skel->progs.pstat_on_exec, tracepoint, &programs->exec_fd, why);
	}
	return 0;
}

int scope_programs__set_syscall(const struct scope_programs *programs, int nr,
				enum scope_syscall_point point, uint64_t cookie)
{
	__u64 *cookies;

	if (nr < 0 || nr >= SCOPE_SYSCALLS)
		return -E2BIG;
	cookies = programs->skel->bss->syscalls[nr].cookies;
	__atomic_store_n(&cookies[point], cookie ? cookie | SCOPE_USED : 0, __ATOMIC_SEQ_CST);
	return 0;
}

struct gate *scope_programs__gate(const struct scope_programs *programs)
{
	return (struct gate *)&programs->skel->data_gate->gate;
}

void scope_programs__set_gate(struct scope_programs *programs, uint32_t gate)
{
	__atomic_store_n(&scope_programs__gate(programs)->phase, gate, __ATOMIC_SEQ_CST);
}

int scope_programs__attach_gate(const struct scope_programs *programs,
				const struct gate_points *points, struct gate_links **links,
				struct strbuf *why)
{
	const struct scope_bpf *skel = programs->skel;

	return gate_links__attach(GATE_PROGRAMS(skel), bpf_map__fd(skel->maps.gate_changed), points,
				  links, why);
}
