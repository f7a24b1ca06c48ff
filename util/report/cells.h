/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of one moment, added up: a cell for each event and aggregate, with readings scaled and duplicates merged. Shared by the
 * files that make a report of counts:
 *
 *	report.c	runs and intervals: what is taken for the cells, and the means of runs
 *	cells-collect.c	counts to cells
 *	cells-merge.c	cells that show as one: of several PMUs, of a core's threads
 *	cells-rows.c	cells to rows, in their order
 *	cell-row.c	one cell to its row: name, state, value, metrics
 */
#ifndef PSTAT_REPORT_CELLS_H
#define PSTAT_REPORT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/count/counts.h"
#include "util/report/aggr-table.h"

struct report_config;

/* One event in one aggregate: of a run, of an interval, or the mean of all runs. */
struct cell {
	struct reading sum; /* scaled */
	int nr;		    /* readings in it */
	bool covered;	    /* the aggregate has one of the CPUs for which the event counts */
	bool starved;	    /* some CPU's counter never got onto the PMU: a sum without it would lie */
	bool hidden;	    /* shown as a part of another cell */
	double noise;	    /* percent */
};

/*
 * Zeroed with a config it has no aggregates yet: see cells__grow(). All tables are its own. If subjects are told apart, an
 * event's cells are [subject][aggregate].
 */
struct cells {
	const struct report_config *config;
	struct aggr_shape shape;
	int nr_aggr;		 /* cells of an event, of all subjects */
	int nr_cgroups;		 /* see subjects__cgroups() */
	struct cell *cells;	 /* [event * nr_aggr + cell of the event] */
	double *runs;		 /* as cells: of BPF programs; NULL until counts come with such runs */
	bool counts_runs;	 /* the last counts did */
	bool *unsupported;	 /* [event * nr_cgroups + cgroup] of the last counts seen */
	unsigned char *left_out; /* [event] of the last counts seen: bits of enum left_out */
	bool *nowhere;		 /* [event]: the target has no CPU of its PMU, so it has no rows */
	uint64_t *counts;	 /* as cells: their values, for the metrics */
	bool *known;		 /* the same: the cell was counted */
};

/* 0 or -ENOMEM; to be freed either way. @config must outlive it. */
int cells__init(struct cells *cells, const struct report_config *config);
void cells__free(struct cells *cells);

/* Gives it more subjects and aggregates, which have counted nothing. 0 or -ENOMEM. */
int cells__grow(struct cells *cells, const struct aggr_shape *shape);
/* To be called before anything is collected. 0 or -ENOMEM. */
int cells__set_cgroups(struct cells *cells, int nr_cgroups);

/* From now on counts come with runs of BPF programs. 0 or -ENOMEM. */
int cells__keep_runs(struct cells *cells);

/* How many cells there are. */
size_t cells__nr(const struct cells *cells);
struct cell *cells__at(const struct cells *cells, int event, int aggr);
/* Could the event not be opened for the subject, or the cgroup, of that number? */
bool cells__is_unsupported(const struct cells *cells, int event, int subject);

#endif
