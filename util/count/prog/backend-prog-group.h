/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations that the files of the backend for BPF programs (-b) share. A target is a program
 * that is counted. A row is a program in the report, or all programs together.
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
	struct prog_switch *on_switch; /* NULL if no run can lose its CPU */
	struct prog_snapshot *snapshot;
	struct prog_times *times;
	struct prog_outliers *outliers; /* NULL without --outliers */
	struct prog_gate *points;	/* with --start and --stop; otherwise NULL */
	uint64_t *runs;			/* [row * CPUs + CPU]: total runs at the last reading */
	int nr_rows;			/* number of rows in `runs` */
	uint32_t gate;	 /* 0: counting is disabled; otherwise the value of `opened` */
	uint32_t opened; /* how many times counting has been enabled */
	/* ns for which the gate of `points` had been open at the last reading */
	uint64_t open_before;
	uint64_t enabled_at; /* ns; when counting was last enabled */
	uint64_t enabled_ns; /* the total time of earlier periods */
	const struct stat_config *cfg;
	struct prog_refs *refs; /* with --follow; NULL if the references cannot be read */
	struct prog_sums kept;	/* the sums of programs that were released */
	struct hist_rows kept_hist;
	/* the faults of released programs, and the number of torn readings */
	struct prog_faults faults;
	unsigned int rounds; /* rounds since the references were last checked */
};

/* Returns the time in ns for which counting was enabled. */
uint64_t prog_group__open_time(const struct prog_group *priv);
/* Returns the subjects if they are programs, otherwise NULL. */
struct subjects *prog_group__progs(const struct backend_group *group);
/* Implements read of struct counter_backend. */
int prog_group__read(struct backend_group *group);
/*
 * Reads the totals of @target into priv->snapshot, unless @target is counted by the kernel's own
 * statistics.
 */
int prog_group__take(const struct prog_group *priv, const struct prog_target *target);
/* Implements read_lost of struct counter_backend. */
int prog_group__read_lost(struct backend_group *group);
/* Prints and stores the number of lost runs, and warns about programs that pstat never saw run. */
void prog_group__report_faults(const struct backend_group *group);
/*
 * With --follow: releases programs that will not run again, after reading their counts one last
 * time.
 */
int prog_group__retire_the_gone(struct backend_group *group);

/* ---- prog-shared.c: the maps that the programs of all targets share ---- */

/*
 * Makes and fills the maps of @shape: the perf events of @fds, the CPUs on which runs are not
 * counted, and the tasks and cgroups whose runs are counted. Call prog_shape__place_events() first.
 */
int prog_shared__make_maps(struct prog_shape *shape, const struct backend_group *group,
			   const struct prog_fds *fds, const struct cpumap *possible,
			   const struct stat_config *cfg);

/*
 * Puts the events of the CPU with the index @cpu into the map. If the CPU is not @online, puts
 * events of another CPU there, which the kernel does not let programs on @cpu read. So if the CPU
 * comes online before its own events are open, runs there are reported as not counted.
 */
int prog_shared__put_events(const struct prog_shape *shape, const struct backend_group *group,
			    const struct prog_fds *fds, int cpu, bool online);

/* Adds the lost runs of all CPUs to @lost[PROG_NR_LOST], by cause. Ignores errors. */
void prog_shared__add_lost(const struct prog_shape *shape, const struct cpumap *possible,
			   uint64_t *lost);

/* ---- prog-single.c: individual runs, for --hist, --outliers and --packet ---- */

/*
 * Adds the time to the words (struct prog_words) that are read in each run, if the threshold of
 * --outliers is a time. Call this before prog_shape__place_events().
 */
void prog_single__want_time(struct prog_shape *shape, const struct stat_config *cfg);

/*
 * Chooses the words that --hist and --outliers use. Call this after prog_shape__place_events().
 * Fails if such a word is not available in every run.
 */
int prog_single__place(struct prog_shape *shape, const struct backend_group *group,
		       const struct stat_config *cfg);

/*
 * With --packet: warns about targets whose packets cannot be read because of their BTF or because
 * of @kernel. Fails if no program in @list has packets that can be read, unless programs may be
 * added later (@more).
 */
int prog_single__check_packets(const struct prog_kernel *kernel, const struct prog_list *list,
			       bool more);

/* ---- prog-switch.c: a program at the context switch, for runs that can lose their CPU ---- */

/* Returns whether this kernel can preempt a task in kernel mode, and therefore during a run. */
bool prog_switch__kernel_preempts(void);

/* Returns whether the kernel allows programs of the type of @prog to sleep. */
bool prog_switch__may_sleep(const struct bpf_prog *prog);

/* Makes the runs of the targets exclude the time during which other tasks have the CPU. */
int prog_switch__attach(const struct prog_shape *shape, struct prog_switch **out);
void prog_switch__detach(struct prog_switch *hook);

/* ---- prog-calibrate.c: the cost that -b itself adds to the counts of a run ---- */

/*
 * Sets @shape->costs. Call this after the events are placed and the maps are made, and before
 * anything is attached. If the cost cannot be measured, it stays 0, and the function warns. Returns
 * 0 or -errno.
 */
int prog_calibrate(struct prog_shape *shape, const struct backend_group *group,
		   const struct prog_fds *fds, const struct cpumap *possible);

#endif
