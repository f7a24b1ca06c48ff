/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of the backend for BPF programs (-b) share. A target is a BPF program
 * that is counted. A run is one execution of a target. A row (@row) is the part of the report for
 * one target, or for all targets together.
 */
#ifndef PSTAT_COUNT_BACKEND_PROG_GROUP_H
#define PSTAT_COUNT_BACKEND_PROG_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "util/count/hist-counts.h"
#include "util/count/prog/prog-faults.h"
#include "util/count/prog/prog-list.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/prog/prog-sums.h"

struct backend_group;
struct bpf_prog;
struct cpumap;
struct prog_fds;
struct prog_gate;
struct prog_kernel;
struct prog_outliers;
struct prog_refs;
struct prog_snapshot;
struct prog_switch;
struct prog_times;
struct stat_config;

struct prog_group {
	struct prog_fds *fds;
	struct cpumap *possible; /* all possible CPUs, in the order of the per-CPU values in maps */
	struct prog_list list;
	struct prog_shape shape;
	/*
	 * pstat's BPF program at the context switch; NULL if no run can lose its CPU to another
	 * task
	 */
	struct prog_switch *on_switch;
	struct prog_snapshot *snapshot;
	struct prog_times *times;
	struct prog_outliers *outliers; /* NULL without --outliers */
	struct prog_gate *points; /* the gate of --start and --stop; NULL without these options */
	uint64_t *runs;		  /* [row * CPUs + CPU]: run count at the latest reading */
	int nr_rows;		  /* number of rows in `runs` */
	/*
	 * the value of each target's gate (prog_target__set_gate()); 0: counting is disabled, or
	 * points control the gate (--start, --stop)
	 */
	uint32_t gate;
	uint32_t opened; /* how many times counting has been enabled */
	/* the result of prog_group__open_time() at the latest reading */
	uint64_t open_before;
	uint64_t enabled_at; /* the time (ns) at which counting was most recently enabled */
	uint64_t enabled_ns; /* total length of the earlier periods in which counting was enabled */
	const struct stat_config *cfg;
	/* the reference counts of BPF programs; NULL without --follow, or if they cannot be read */
	struct prog_refs *refs;
	/* the sums of retired programs (prog_group__retire_the_gone()) */
	struct prog_sums kept;
	struct hist_rows kept_hist; /* the histograms of retired programs */
	/*
	 * the faults of retired programs, but `torn` includes the torn readings of all programs
	 */
	struct prog_faults faults;
	/*
	 * how many times pstat has looked for new programs since the latest
	 * prog_group__retire_the_gone()
	 */
	unsigned int rounds;
};

/*
 * Returns the total time in ns for which counting has been enabled or, with --start or --stop, the
 * gate has been open.
 */
uint64_t prog_group__open_time(const struct prog_group *priv);
/* Returns the subjects of @group if each program is counted separately, otherwise NULL. */
struct subjects *prog_group__progs(const struct backend_group *group);
/* Implements counter_backend.read. */
int prog_group__read(struct backend_group *group);
/*
 * Reads the totals of @target into priv->snapshot. Does nothing if the kernel's own statistics
 * count @target.
 */
int prog_group__take(const struct prog_group *priv, const struct prog_target *target);
/* Implements counter_backend.read_lost. */
int prog_group__read_lost(struct backend_group *group);
/*
 * Prints the faults of all programs (prog_faults__report()), sets `lost_runs` of the measurement,
 * and warns about programs of which pstat saw no run.
 */
void prog_group__report_faults(const struct backend_group *group);
/*
 * With --follow: retires each program that will not run again, that is, adds its counts to
 * priv->kept and closes its target.
 */
int prog_group__retire_the_gone(struct backend_group *group);

/* ---- prog-shared.c: the maps that the programs of all targets share ---- */

/*
 * Makes the maps of @shape, and stores in them the perf events of @fds, the CPUs on which runs are
 * not counted, and the tasks and cgroups whose runs are counted. Call prog_shape__place_events()
 * and prog_single__place() first.
 */
int prog_shared__make_maps(struct prog_shape *shape, const struct backend_group *group,
			   const struct prog_fds *fds, const struct cpumap *possible,
			   const struct stat_config *cfg);

/*
 * Stores the events of the CPU with the index @cpu in the entries of this CPU in the map `events`.
 * If @online is false, stores the events of another CPU in these entries instead. BPF programs that
 * run on @cpu cannot read the events of another CPU. So if @cpu comes online before its own events
 * are open, pstat reports the runs on @cpu as not counted.
 */
int prog_shared__put_events(const struct prog_shape *shape, const struct backend_group *group,
			    const struct prog_fds *fds, int cpu, bool online);

/*
 * For each cause (enum prog_lost), adds the number of lost runs on all CPUs to @lost[cause]. Does
 * not include PROG_LOST_BUSY, which each target counts in its totals. On error, adds nothing.
 */
void prog_shared__add_lost(const struct prog_shape *shape, const struct cpumap *possible,
			   uint64_t *lost);

/* ---- prog-single.c: individual runs, for --hist, --outliers and --packet ---- */

/*
 * If the threshold of --outliers is a time, adds the clock to the values that are read in each run
 * (the words of struct prog_words). Call this before prog_shape__place_events().
 */
void prog_single__want_time(struct prog_shape *shape, const struct stat_config *cfg);

/*
 * Chooses the word that --hist uses, and the word that --outliers uses. Call this after
 * prog_shape__place_events(). Fails if the event of --hist or --outliers is not open, or may have
 * to wait for a counter during a run.
 */
int prog_single__place(struct prog_shape *shape, const struct backend_group *group,
		       const struct stat_config *cfg);

/*
 * With --packet: warns about targets whose packets cannot be read. This is the case if BTF does not
 * declare the first argument of the target's function as the context, or if the kernel (@kernel)
 * has no helper for reading packets. Fails if no program in @list has packets that can be read,
 * unless programs may be added later (@more is true).
 */
int prog_single__check_packets(const struct prog_kernel *kernel, const struct prog_list *list,
			       bool more);

/* ---- prog-switch.c: a program at the context switch, for runs that can lose their CPU ---- */

/* Returns whether this kernel can preempt a task in kernel mode, and therefore during a run. */
bool prog_switch__kernel_preempts(void);

/* Returns whether the kernel allows programs of the type of @prog to sleep. */
bool prog_switch__may_sleep(const struct bpf_prog *prog);

/*
 * Attaches a BPF program to the context switch, so that the counts of a run do not include what
 * other tasks do while the task of the run is off the CPU.
 */
int prog_switch__attach(const struct prog_shape *shape, struct prog_switch **out);
void prog_switch__detach(struct prog_switch *hook);

/* ---- prog-calibrate.c: the cost that -b itself adds to the counts of a run ---- */

/*
 * Sets @shape->costs. Call this after prog_shape__place_events() and prog_shared__make_maps(), and
 * before prog_target__attach() is called for any target. If a cost cannot be measured, warns, sets
 * all costs to 0, and returns -errno. Otherwise, returns 0.
 */
int prog_calibrate(struct prog_shape *shape, const struct backend_group *group,
		   const struct prog_fds *fds, const struct cpumap *possible);

#endif
