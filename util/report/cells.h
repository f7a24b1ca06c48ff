/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cell contains the count of one event for one subject in one aggregate (a set of CPUs, see
 * aggr.h). The count is the sum of the scaled readings (struct reading) of these CPUs. pstat merges
 * cells that it shows as one count: the cells of events that have the same name on different PMUs
 * and share a row (evsel.merged); and, if an event has the term percore, its cells for the CPUs of
 * each core.
 *
 *	report.c	repetitions and intervals: fills the cells, computes means
 *	cells.c		adds readings to cells, and merges cells
 *	cells-rows.c	converts cells to rows, and orders the rows
 *	cell-row.c	converts one cell to its row: name, state, value, metrics
 */
#ifndef PSTAT_REPORT_CELLS_H
#define PSTAT_REPORT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/count/counts.h"
#include "util/report/aggr.h"

struct measurement;
struct metric_defaults;
struct metric_source;
struct report_config;
struct stat_rows;

/*
 * Contains the count of a repetition, the count of an interval, or the mean of all repetitions.
 */
struct cell {
	struct reading sum; /* scaled up if the event was multiplexed */
	/*
	 * number of readings, one for each CPU or task; includes the readings that are not added
	 * because the event is counted per package, but not the readings of cells that are merged
	 * into this one
	 */
	int nr;
	/*
	 * the aggregate contains a CPU on which the event can be counted; used only for events that
	 * some CPUs cannot count
	 */
	bool covered;
	/*
	 * the event was enabled on a CPU but never had a counter there. The sum would be too small,
	 * so cells__collect() sets it to 0 before it merges cells
	 */
	bool starved;
	/*
	 * has no row: another cell includes this one, or (in AGGR_NONE) its CPU was never online
	 */
	bool hidden;
	double noise; /* standard error of the mean, in percent of the mean */
	/* the smallest and the largest count if there are several repetitions; otherwise 0 */
	double min;
	double max;
	bool has_range; /* `min` and `max` are valid */
};

/*
 * The cells of all events. Owns all tables. The tables with an element for each cell are empty
 * until the first call to cells__grow(). The cells of an event are a table [subject][aggregate];
 * see aggr.h.
 */
struct cells {
	const struct report_config *config;
	struct aggr_shape shape;
	int nr_aggr;	    /* number of cells of an event, for all subjects */
	int nr_cgroups;	    /* number of cgroups of --for-each-cgroup, or 1 (subjects__cgroups()) */
	struct cell *cells; /* [event * nr_aggr + index in the table of the event] */
	/*
	 * indexed like `cells`: number of runs of BPF programs or scopes; NULL until counts include
	 * runs
	 */
	double *runs;
	bool counts_runs; /* the latest counts include runs */
	/*
	 * [event * nr_cgroups + cgroup]: the event could not be opened when the latest counts were
	 * taken; if the cells are means, it could not be opened in any repetition
	 */
	bool *unsupported;
	unsigned char *left_out; /* [event]: what the event does not count (counts.left_out) */
	/* [event]: none of the counted CPUs belongs to the event's PMU, so the event has no rows */
	bool *nowhere;
	uint64_t *counts;		  /* indexed like `cells`: values for the metrics */
	bool *known;			  /* indexed like `cells`: the value was counted */
	struct metric_defaults *defaults; /* NULL until the first rows are made */
};

/* Returns 0 or -ENOMEM. Call cells__free() in both cases. @config must outlive the cells. */
int cells__init(struct cells *cells, const struct report_config *config);
void cells__free(struct cells *cells);

/*
 * Grows the tables that have an element for each cell. Their new shape is @shape. New cells have no
 * counts. Returns 0 or -ENOMEM.
 */
int cells__grow(struct cells *cells, const struct aggr_shape *shape);
/* Sets the number of cgroups. Call this before cells__collect(). Returns 0 or -ENOMEM. */
int cells__set_cgroups(struct cells *cells, int nr_cgroups);

/* Allocates `runs`. Returns 0 or -ENOMEM. */
int cells__keep_runs(struct cells *cells);

size_t cells__nr(const struct cells *cells);
struct cell *cells__at(const struct cells *cells, int event, int aggr);
/*
 * Returns true if the event could not be opened for the subject's cgroup. @subject may also be the
 * index of a cgroup, because the list of subjects repeats the cgroups: subject i belongs to cgroup
 * i % nr_cgroups.
 */
bool cells__is_unsupported(const struct cells *cells, int event, int subject);

/* counts__total() or counts__delta() */
typedef struct reading (*reading_fn)(const struct counts *counts, int cpu_idx, int thread);

/*
 * Sets the cells to the sums of the readings that @read returns for @m. @m must have the events of
 * the evlist.
 */
void cells__collect(struct cells *cells, const struct measurement *m, reading_fn read);

/* ---- cells-rows.c ---- */

/*
 * Fills @rows from @cells. @wall_ns is the wall time for which the events were counted (0:
 * unknown). With @interval, a subject has no rows if it no longer exists and all its counts were
 * reported in earlier intervals. Returns 0 or -ENOMEM.
 */
int cells__make_rows(struct cells *cells, double wall_ns, bool interval, struct stat_rows *rows);

/* ---- cell-row.c ---- */

/* Adds the row of cell @aggr of @event, unless the report omits this row. Returns 0 or -ENOMEM. */
int cell__add_row(const struct cells *cells, const struct metric_source *source, int event,
		  int aggr, struct stat_rows *rows);

#endif
