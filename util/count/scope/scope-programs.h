/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs that count the runs of scopes, and the maps of these programs. */
#ifndef PSTAT_COUNT_SCOPE_PROGRAMS_H
#define PSTAT_COUNT_SCOPE_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>
#include "bpf_skel/scope.h"
#include "util/count/share/scope-kernel.h"
#include "util/machine/bpf/kernel-btf.h"

struct backend_group;
struct event_fds;
struct gate;
struct gate_links;
struct gate_points;
struct scope_bpf;
struct scope_shape;
struct stat_config;
struct strbuf;

/*
 * The maximum number of kernel functions that pstat probes with fentry. Detaching programs from
 * more functions would take too long.
 */
#define SCOPE_FENTRY_MOST 8

/*
 * The kernel functions that pstat probes with fentry: the functions in the scopes and, if pstat
 * measures the cost of counting, SCOPE_FUNC_EMPTY as the last function.
 */
struct scope_fentry {
	/*
	 * the number of functions; `nr_tried` does not include SCOPE_FUNC_EMPTY, for which pstat
	 * does not test fentry
	 */
	int nr, nr_tried;
	struct kernel_btf_type types[SCOPE_FENTRY_MOST + 1];
	uint64_t addresses[SCOPE_FENTRY_MOST]; /* 0: unknown */
	/*
	 * fds of the links of the empty programs with which pstat tests whether fentry works; -1:
	 * not attached
	 */
	int trial[SCOPE_FENTRY_MOST];
};

struct scope_programs {
	struct scope_bpf *skel;
	/* a single link can attach a program to many points in a file (uprobe_multi, Linux 6.6) */
	bool multi;
	/*
	 * the kernel can preempt the BPF programs that run at system calls: see
	 * scope__programs_are_preempted()
	 */
	bool preemptible;
	enum scope_func_links func_links; /* how functions of the kernel are probed */
	struct scope_fentry fentry;
	int threads_map; /* fd of the map `threads`; -1: not created */
	/* the maximum number of runs that a thread can have in progress */
	uint32_t depth;
	uint32_t params[SCOPE_NR_PARAMS]; /* the parameters of the programs (scope-params.h) */
	/*
	 * fds of the attached programs that run at context switches, when threads exit, and at
	 * execve(2); -1: not attached
	 */
	int switch_fd, exit_fd, exec_fd;
	/* for scope_programs__count_self(): the user selected pstat itself */
	bool is_listed;
	/* if `is_listed` is set: the value to which pstat's entry in the map `tasks` is restored */
	uint32_t own_row;
};

void scope_programs__init(struct scope_programs *programs);
/*
 * Loads the programs, and stores the events, tasks and cgroups in their maps. After the rows of the
 * report (shape->nr_rows), the map `totals` has two more rows for scope_calibrate(). The first of
 * these is also the spare row (see spare_row in scope_add.bpf.h). Returns 0, or -errno with the
 * reason in group->why.
 */
int scope_programs__load(struct scope_programs *programs, const struct scope_shape *shape,
			 const struct backend_group *group, const struct event_fds *fds,
			 const struct stat_config *cfg);
/*
 * Attaches the programs that run at context switches, when threads exit, and at execve(2). Returns
 * 0, or -errno with the reason in @why.
 */
int scope_programs__watch(struct scope_programs *programs, struct strbuf *why);
/*
 * If scope_programs__watch() attached a program to @tracepoint, detaches this program and attaches
 * it again, so that it runs after all other programs at @tracepoint. For example, a run that ends
 * at sched_process_exit is then counted before pstat_on_exit() drops the thread's runs in progress.
 * Returns 0, or -errno with the reason in @why.
 */
int scope_programs__watch_last(struct scope_programs *programs, const char *tracepoint,
			       struct strbuf *why);
/*
 * Sets the cookie (SCOPE_COOKIE()) of the point @point of the system call @nr. If @cookie is 0,
 * makes the programs ignore this point. Returns 0, or -E2BIG if @nr is not less than
 * SCOPE_SYSCALLS.
 */
int scope_programs__set_syscall(const struct scope_programs *programs, int nr,
				enum scope_syscall_point point, uint64_t cookie);
/*
 * Stores the events of one CPU in the map `events`. @cpu is the index of the CPU in group->cpus.
 * Pass false as @online if the CPU's events are not open, or if their counts no longer advance. The
 * function then stores events of another CPU instead. The kernel refuses to read these events on
 * this CPU (EINVAL), so runs on this CPU are lost instead of being counted as 0.
 */
int scope_programs__put_events(const struct scope_programs *programs,
			       const struct scope_shape *shape, const struct backend_group *group,
			       const struct event_fds *fds, int cpu, bool online);
/*
 * Returns the gate (struct gate), which is in memory that pstat and the BPF programs share. The
 * member `phase` of the gate determines whether runs are counted.
 */
struct gate *scope_programs__gate(const struct scope_programs *programs);
/*
 * Sets the phase of the gate to @gate. A run is counted if the phase at the beginning of the run is
 * the same as at the end, and is not 0.
 */
void scope_programs__set_gate(struct scope_programs *programs, uint32_t gate);
/* Attaches programs to the points of --start and --stop. These programs open and close the gate. */
int scope_programs__attach_gate(const struct scope_programs *programs,
				const struct gate_points *points, struct gate_links **links,
				struct strbuf *why);
/*
 * If @on is set, makes the programs count pstat's own runs for scope_calibrate(), even if the user
 * did not select pstat. If @on is not set, restores the user's selection. Returns 0 or -errno.
 */
int scope_programs__count_self(struct scope_programs *programs, bool on);
void scope_programs__free(struct scope_programs *programs);

#endif
