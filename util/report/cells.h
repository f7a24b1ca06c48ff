/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts that are added up: a cell for each event and aggregate, with scaled readings. Duplicates
 * are merged.
 *
 *	report.c	runs and intervals: fills the cells, computes means
 *	cells.c		counts to cells, and cells that are shown as one cell
 *	cells-rows.c	cells to rows, in their order
 *	cell-row.c	one cell to its row: name, state, value, metrics
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

/* One event in one aggregate. The counts are those of one run or interval, or means of all runs. */
struct cell {
	struct reading sum; /* scaled */
	int nr;		    /* number of readings */
	bool covered;	    /* the aggregate contains a CPU on which the event counts */
	/* the event never had a counter on one of the CPUs, so the sum would be too small */
	bool starved;
	bool hidden;  /* shown as part of another cell */
	double noise; /* in percent */
	/*
	 * the smallest and the largest count of several runs; both are 0 for one run, and for
	 * intervals
	 */
	double min;
	double max;
	bool has_range;
};

/*
 * Owns all tables. Has no aggregates until cells__grow() is called. The cells of an event are
 * [subject][aggregate].
 */
struct cells {
	const struct report_config *config;
	struct aggr_shape shape;
	int nr_aggr;	    /* number of cells of an event, for all subjects */
	int nr_cgroups;	    /* see subjects__cgroups() */
	struct cell *cells; /* [event * nr_aggr + cell of the event] */
	/* as `cells`: runs of BPF programs; NULL until counts include runs */
	double *runs;
	bool counts_runs;	 /* the latest counts include runs */
	bool *unsupported;	 /* [event * nr_cgroups + cgroup], of the latest counts */
	unsigned char *left_out; /* [event], of the latest counts: bits of enum left_out */
	/* [event]: the target contains no CPU of the event's PMU, so the event has no rows */
	bool *nowhere;
	uint64_t *counts;		  /* indexed like `cells`: values for the metrics */
	bool *known;			  /* indexed like `cells`: the value is known */
	struct metric_defaults *defaults; /* NULL until the first rows are made */
};

/* Returns 0 or -ENOMEM. Call cells__free() in both cases. @config must outlive the cells. */
int cells__init(struct cells *cells, const struct report_config *config);
void cells__free(struct cells *cells);

/* Adds subjects and aggregates without counts. Returns 0 or -ENOMEM. */
int cells__grow(struct cells *cells, const struct aggr_shape *shape);
/* Call this before collecting. Returns 0 or -ENOMEM. */
int cells__set_cgroups(struct cells *cells, int nr_cgroups);

/* Call this when counts begin to include runs of BPF programs. Returns 0 or -ENOMEM. */
int cells__keep_runs(struct cells *cells);

size_t cells__nr(const struct cells *cells);
struct cell *cells__at(const struct cells *cells, int event, int aggr);
/* Returns whether the event could not be opened for the subject or cgroup with this number. */
bool cells__is_unsupported(const struct cells *cells, int event, int subject);

/* counts__total() or counts__delta() */
typedef struct reading (*reading_fn)(const struct counts *counts, int cpu_idx, int thread);

/*
 * Sets the contents of the cells to the readings that @read returns for @m. @m has the same events
 * as the evlist.
 */
void cells__collect(struct cells *cells, const struct measurement *m, reading_fn read);

/* ---- cells-rows.c ---- */

/*
 * Fills @rows from @cells, which were counted during @wall_ns (0: unknown). In an @interval,
 * subjects that ended before it have no rows. Returns 0 or -ENOMEM.
 */
int cells__make_rows(struct cells *cells, double wall_ns, bool interval, struct stat_rows *rows);

/* ---- cell-row.c ---- */

/* Adds the row of @event in aggregate @aggr, if it is shown. Returns 0 or -ENOMEM. */
int cell__add_row(const struct cells *cells, const struct metric_source *source, int event,
		  int aggr, struct stat_rows *rows);

#endif
