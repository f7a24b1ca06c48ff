/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of a report: one row per event, subject and aggregate (a set of CPUs, see aggr.h). The
 * output (util/output) depends only on these rows.
 */
#ifndef PSTAT_REPORT_STAT_ROW_H
#define PSTAT_REPORT_STAT_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/cpu/aggr-mode.h"
#include "util/metric/metric-row.h"
#include "util/report/hist.h"

struct strbuf;

/*
 * Identifies the aggregate of a row, and the BPF program or scope that the row is for. The mode
 * decides which members are valid: for example, `socket` and `die` in AGGR_DIE, `cpu` in AGGR_NONE,
 * and `comm` and `tid` in AGGR_THREAD. In AGGR_NONE, the row is for a core if `percore` is set, and
 * for the counted tasks if `cpu` is -1.
 */
struct aggr_id {
	enum aggr_mode mode;
	int node;
	int socket;
	int die;
	int cluster;
	int cache_level;
	int cache; /* lowest CPU that shares the cache; -1: there is no cache of this level */
	int core;
	int cpu;
	bool percore;
	int tid;
	const char *comm; /* name of the thread; owned by struct subjects */
	/*
	 * The name of the BPF program or scope (--scope: code between two points), in any mode.
	 * NULL: the row is not for a single program or scope. `subject_column` and
	 * `subject_id_column` are the headings of the name and of the ID (NULL: no ID). struct
	 * subjects owns the name, and struct subject_kind owns the headings.
	 */
	const char *subject;
	uint32_t subject_id;
	const char *subject_column, *subject_id_column;
};

/*
 * Adds the name of the aggregate, for example "S0-D1", "CPU3" or "comm-12". If the row is for all
 * CPUs or all counted tasks, adds nothing.
 */
void aggr_id__add_name(const struct aggr_id *id, struct strbuf *name);

enum row_state {
	ROW_COUNTED,
	ROW_NOT_COUNTED,   /* the event never had a counter */
	ROW_NOT_SUPPORTED, /* the event could not be opened */
};

struct stat_row {
	struct aggr_id id;
	int event_nr; /* index in the evlist */
	int nr_aggr;  /* number of readings (one per CPU or task) that the row includes */
	char *event;  /* owned; `unit` and `cgroup` point into the same memory */
	char *unit;   /* "" without a unit */
	char *cgroup; /* or NULL */
	enum row_state state;
	/* in `unit`, scaled up if multiplexed; valid only if `state` is ROW_COUNTED */
	double value;
	bool fraction;	/* shown with two decimals */
	double noise;	/* standard error of the repetitions' mean, in percent of this mean */
	bool has_range; /* `min` and `max` of the repetitions (in `unit`) are valid */
	double min;
	double max;
	uint64_t enabled;	    /* in ns */
	uint64_t running;	    /* in ns */
	struct row_metric *metrics; /* the array is owned, but not its strings */
	int nr_metrics;
	bool no_count; /* print the metrics and their headings, but not the count */
	bool idle;     /* the row's program or scope did not run */
	bool has_runs; /* `runs`, the number of counted runs of programs or scopes, is valid */
	double runs;
};

/*
 * Returns whether --hide-zero omits the row: either its count is 0, or its program or scope did not
 * run. The first condition is false if the row has no count (ROW_NOT_COUNTED or `no_count`).
 * Returns false for all rows of unsupported events.
 */
bool stat_row__is_zero(const struct stat_row *row);

/* The rows of a report in the order in which they are printed. A zeroed struct is empty. */
struct stat_rows {
	struct stat_row *rows;
	int nr;
	int room;
	/*
	 * The distributions of --hist: one for each program or scope, or one for all programs or
	 * scopes together. Empty if no distributions were requested.
	 */
	struct stat_hist *hists;
	int nr_hists;
	int unit_width; /* width of the widest unit of the supported events, at least 4 */
	int prog_width; /* width of the column of program or scope names; 0: no such column */
};

/*
 * Adds a row with copies of the strings (@cgroup may be NULL). Returns the row, or NULL if memory
 * ran out. The pointer is valid until the next row is added.
 */
struct stat_row *stat_rows__add(struct stat_rows *rows, const struct aggr_id *id, const char *event,
				const char *unit, const char *cgroup);

/* Adds @nr empty distributions to @rows, which must not have any. Returns 0 or -ENOMEM. */
int stat_rows__make_hists(struct stat_rows *rows, int nr);

/* Empties the list, but keeps its memory. */
void stat_rows__reset(struct stat_rows *rows);
void stat_rows__free(struct stat_rows *rows);

#endif
