/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of the backend for BPF programs share. */
#ifndef PSTAT_COUNT_BACKEND_PROG_GROUP_H
#define PSTAT_COUNT_BACKEND_PROG_GROUP_H

#include <stdint.h>

#include "util/count/hist-counts.h"
#include "util/count/prog/prog-faults.h"
#include "util/count/prog/prog-list.h"
#include "util/count/prog/prog-shape.h"
#include "util/count/prog/prog-sums.h"

struct backend_group;
struct cpumap;
struct prog_fds;
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

#endif
