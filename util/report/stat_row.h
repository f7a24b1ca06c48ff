/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was counted, as it will be shown: one row an event and aggregate, every figure final. Rows know no evsel and no
 * format; the output knows nothing but rows.
 */
#ifndef PSTAT_REPORT_STAT_ROW_H
#define PSTAT_REPORT_STAT_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "util/machine/aggr-mode.h"
#include "util/metric/metric-row.h"
#include "util/report/hist.h"

/*
 * What a row is the sum of. Only the fields of its mode mean something: socket, die and so on down to the one that it is
 * named after; node; cpu; comm and tid. AGGR_NONE with percore set is a core, not a CPU, and with cpu -1 a task.
 */
struct aggr_id {
	enum aggr_mode mode;
	int node;
	int socket;
	int die;
	int cluster;
	int cache_level;
	int cache; /* lowest CPU that shares it; -1: none of that level */
	int core;
	int cpu;
	bool percore;
	int tid;
	char comm[64];	  /* kernel workers show more than the task's 15 characters */
	const char *prog; /* of any mode: the BPF program that it is of, NULL for all; owned by the aggr map */
	uint32_t prog_id;
};

enum row_state {
	ROW_COUNTED,
	ROW_NOT_COUNTED,   /* it never ran */
	ROW_NOT_SUPPORTED, /* it could not be opened */
};

/* Strings are owned. */
struct stat_row {
	struct aggr_id id;
	int nr_aggr; /* readings added up in it */
	char *event;
	char *unit;   /* "" without */
	char *cgroup; /* NULL without */
	enum row_state state;
	double value;	  /* of the unit, scaled; means something when counted */
	bool fraction;	  /* shown with two decimals */
	double noise;	  /* of several runs: deviation in percent of the mean */
	uint64_t enabled; /* ns */
	uint64_t running; /* ns */
	struct row_metric *metrics; /* the list is owned, the strings in it are not */
	int nr_metrics;
	bool no_count; /* only metrics with headings are printed, not the count */
};

/* The rows of one report in the order of printing. Zeroed is empty. */
struct stat_rows {
	struct stat_row *rows;
	int nr;
	int room;
	struct stat_hist *hists; /* one for each program, or one for all; none where they were not asked for */
	int nr_hists;
	int unit_width; /* the widest unit of the events that count, 4 at least */
	int prog_width; /* the longest name of a program, 0 without */
};

/*
 * A new row at the end, with copies of the strings (@cgroup may be NULL), or NULL without memory. The pointer is good
 * until the next row is added.
 */
struct stat_row *stat_rows__add(struct stat_rows *rows, const struct aggr_id *id, const char *event, const char *unit,
				const char *cgroup);

/* Makes room for @nr distributions, which are empty. 0 or -ENOMEM. */
int stat_rows__make_hists(struct stat_rows *rows, int nr);

/* Empties the list and keeps its memory for the next interval. */
void stat_rows__reset(struct stat_rows *rows);
void stat_rows__free(struct stat_rows *rows);

#endif
