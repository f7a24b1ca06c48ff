/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of the backend for BPF programs share. */
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
struct prog_kernel;
struct prog_outliers;
struct prog_refs;
struct prog_snapshot;
struct prog_switch;
struct prog_times;
struct stat_config;

struct prog_group {
	struct prog_fds *fds;
	struct cpumap *possible; /* per-CPU values of maps come in this order */
	struct prog_list list;
	struct prog_shape shape;
	struct prog_switch *on_switch; /* NULL if no run can lose its CPU */
	struct prog_snapshot *snapshot;
	struct prog_times *times;
	struct prog_outliers *outliers; /* NULL without --outliers */
	uint64_t *runs;			/* [row * CPUs + CPU]: number of runs at the last reading */
	int nr_rows;			/* number of rows in `runs` */
	uint32_t gate; /* 0 while nothing counts; else, and before, how often it was opened */
	uint32_t opened;
	uint64_t enabled_at; /* ns, when it was opened last */
	uint64_t enabled_ns; /* how long it was open before that */
	const struct stat_config *cfg;
	struct prog_refs *refs; /* with --follow; NULL where they cannot be read */
	struct prog_sums kept;	/* of programs that have gone */
	struct hist_rows kept_hist;
	struct prog_faults faults; /* of the same, and of readings */
	unsigned int rounds;	   /* since the references were looked at */
};

/* Returns the time in ns for which the gate was open. */
uint64_t prog_group__open_time(const struct prog_group *priv);
/* Returns the subjects if they are programs, otherwise NULL. */
struct subjects *prog_group__progs(const struct backend_group *group);
/* counter_backend.read */
int prog_group__read(struct backend_group *group);
/*
 * Reads the totals of @target into priv->snapshot, if the target has totals.
 */
int prog_group__take(const struct prog_group *priv, const struct prog_target *target);
/* Adds the problems of @entry, and warns if no run of it was seen. */
void prog_group__add_faults(const struct prog_group *priv, const struct prog_entry *entry,
			    struct prog_faults *faults);
/* With --follow: reads programs that are no longer used a last time and releases them. */
int prog_group__retire_the_gone(struct backend_group *group);

/* ---- prog-shared.c: the maps that the programs of all targets share ---- */

/*
 * The maps of @shape, filled: the perf events of @fds by CPU id, the CPUs on which runs do not
 * count, the tasks and control groups in which they do. The events are placed by now.
 */
int prog_shared__make_maps(struct prog_shape *shape, const struct backend_group *group,
			   const struct prog_fds *fds, const struct cpumap *possible,
			   const struct stat_config *cfg);

/*
 * Puts the events of the CPU with the index @cpu into the map. If the CPU is not @online, puts
 * events of another CPU there. The kernel does not let a program read those, so runs are reported
 * as not counted if the CPU comes online before its events are open.
 */
int prog_shared__put_events(const struct prog_shape *shape, const struct backend_group *group,
			    const struct prog_fds *fds, int cpu, bool online);

/*
 * Adds the lost runs of all CPUs to @lost[PROG_NR_LOST], by cause. Adds nothing if the map cannot
 * be read.
 */
void prog_shared__add_lost(const struct prog_shape *shape, const struct cpumap *possible,
			   uint64_t *lost);

/* ---- prog-single.c: single runs, for --hist, --outliers and --packet ---- */

/*
 * Called before the events are placed, because the duration of runs may be needed even if it is not
 * an event.
 */
void prog_single__want_time(struct prog_shape *shape, const struct stat_config *cfg);

/* When they are: the words. What an event counts has to be known of each run. */
int prog_single__place(struct prog_shape *shape, const struct backend_group *group,
		       const struct stat_config *cfg);

/*
 * With packets: warns of targets whose type has packets that cannot be got at, as their BTF or
 * @kernel does not allow it. Fails when not one of @list can give any, unless more may come
 * (@more).
 */
int prog_single__check_packets(const struct prog_kernel *kernel, const struct prog_list *list,
			       bool more);

/* ---- prog-switch.c: a program at the context switch, for runs that can lose their CPU ---- */

/*
 * Returns whether this kernel can preempt a task that runs in the kernel, and so a run that does
 * not sleep.
 */
bool prog_switch__kernel_preempts(void);

/*
 * Returns whether the kernel lets programs of this type sleep. It does not report whether this
 * program may.
 */
bool prog_switch__may_sleep(const struct bpf_prog *prog);

/*
 * Excludes the time in which other tasks have the CPU from the runs of the targets, if runs can
 * sleep or be preempted.
 */
int prog_switch__attach(const struct prog_shape *shape, struct prog_switch **out);
void prog_switch__detach(struct prog_switch *hook);

/* ---- prog-calibrate.c: what -b itself adds to the counts of a run ---- */

/*
 * Sets @shape->costs. The events of @shape are placed, its maps are made, and nothing is attached
 * yet. Returns 0, or -errno after a warning with the reason if the cost could not be measured; the
 * costs are then 0.
 */
int prog_calibrate(struct prog_shape *shape, const struct backend_group *group,
		   const struct prog_fds *fds, const struct cpumap *possible);

#endif
