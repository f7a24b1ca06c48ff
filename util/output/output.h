/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows to bytes: a stream in one of the formats below, each a file of its own.
 *
 *	output__new ──► output__begin ──► output__rows ──► output__end		what was counted in all
 *	           └──► output__interval, again and again			what was counted since the last
 *
 * A format is std.c, csv.c or json.c, which fill in format.h; metric-only.c has a part of all three. The rows of --hist and
 * --outliers are described by columns; runs.c shows them to people.
 *
 * Both may follow each other on one stream, and the first may repeat. Every call writes its text whole and flushes it.
 */
#ifndef PSTAT_OUTPUT_OUTPUT_H
#define PSTAT_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "util/machine/aggr-mode.h"

struct output;
struct outlier_foot;
struct outlier_row;
struct output_format;
struct stat_rows;

extern const struct output_format output_std;  /* for people, figures as the locale writes them */
extern const struct output_format output_csv;  /* a line a row, fields between separators, the same in every locale */
extern const struct output_format output_json; /* an object a line, valid by itself, the same in every locale */

struct output_config {
	const struct output_format *format;
	FILE *file;		  /* not owned */
	const char *separator;	  /* csv: "," when NULL */
	enum aggr_mode aggr_mode; /* of the rows */
	int runs;		  /* -r: above 1 there are noise columns, and a mean at the end */
	bool cgroups;		  /* there is a cgroup column, also for rows without one */
	bool progs;		  /* there are columns for the BPF program */
	bool big_num;		  /* std: thousands grouped as the locale does */
	bool color;		  /* std: notable metrics in colour */
	bool clear_screen;	  /* std: before each interval */
	bool null_run;		  /* nothing is counted but time */
	bool mark_summary;	  /* csv: what was counted in all says that it is a summary */
	bool metric_only; /* a line for each aggregate, with its metrics alone: rows of report_config.metric_only */
	time_t started;	  /* not 0: begin with a comment that says so (not json) */
};

enum target_kind {
	TARGET_COMMAND, /* argv */
	TARGET_PROCESS, /* the rest: text, a list as the user gave it */
	TARGET_THREAD,
	TARGET_SYSTEM, /* text is not used */
	TARGET_CPUS,
	TARGET_BPF_PROG,
	TARGET_KIND_NR
};

/* What was counted. Nothing is owned. */
struct output_head {
	enum target_kind kind;
	const char *text;
	const char *const *argv; /* ends with NULL */
	int runs_done;		 /* of -r, when it was ended before all were; else 0 */
};

/* Times in seconds. */
struct output_foot {
	double elapsed;	    /* mean of the runs */
	double deviation;   /* of the mean; 0 for one run */
	const double *runs; /* each by itself (--table), or NULL */
	int nr_runs;
	bool has_rusage; /* the workload's own times are known */
	double user;
	double sys;
};

/*
 * All but the last return 0 or a negative errno of the first write that failed, on this stream from then on: -ENOSPC,
 * -EPIPE (SIGPIPE is the caller's to ignore), -ENOMEM. NULL in *@output when output__new() fails.
 */
int output__new(const struct output_config *config, struct output **output);
int output__begin(struct output *output, const struct output_head *head);
int output__rows(struct output *output, const struct stat_rows *rows);
int output__interval(struct output *output, const struct timespec *since_start, const struct stat_rows *rows);
/* A single run, at any time between the others; and at the very end what became of all of them. */
int output__outlier(struct output *output, const struct outlier_row *row);
int output__outlier_foot(struct output *output, const struct outlier_foot *foot);
int output__end(struct output *output, const struct output_foot *foot);
void output__free(struct output *output);

#endif
