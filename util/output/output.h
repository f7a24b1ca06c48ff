/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes rows to a stream in one of several formats.
 *
 *	output__new ──► output__begin ──► output__rows ──► output__end	rows of the totals
 *	           └──► output__interval, repeatedly			rows of intervals
 *
 * All calls after output__new() can be repeated, so one stream can contain rows of several
 * intervals and several totals. Each call writes its complete text and flushes the stream. std.c,
 * csv.c and json.c implement the formats (format.h). With --metric-only, metric-only.c passes lines
 * of metrics to the format instead of rows. runs.c writes the reports of --hist and --outliers as
 * text. csv.c and json.c write these reports as CSV and JSON, with the functions of row-writer.h.
 */
#ifndef PSTAT_OUTPUT_OUTPUT_H
#define PSTAT_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "util/machine/cpu/aggr-mode.h"

struct output;
struct outlier_foot;
struct outlier_row;
struct output_format;
struct stat_rows;

extern const struct output_format output_std; /* text reports, with the locale's number format */
/* one line per row, with a separator between the fields; independent of the locale */
extern const struct output_format output_csv;
extern const struct output_format output_json; /* one object per line, independent of the locale */

struct output_config {
	const struct output_format *format;
	FILE *file;		  /* not owned */
	const char *separator;	  /* csv: separates the fields; NULL means "," */
	enum aggr_mode aggr_mode; /* whether rows are per CPU, core, ... */
	/*
	 * number of repetitions (-r); if there are several, rows contain means and standard errors
	 */
	int runs;
	bool cgroups; /* print the column of cgroups, even for rows without a cgroup */
	/*
	 * `subject_column` is the heading of the column with the names of BPF programs or scopes,
	 * and `subject_id_column` is the heading of the column with their IDs; NULL: no such column
	 */
	const char *subject_column, *subject_id_column;
	bool big_num;	   /* std: group thousands as the locale does */
	bool color;	   /* std: print notable metrics in colour */
	bool clear_screen; /* std: clear the screen before each interval */
	bool null_run;	   /* no event is counted; only the time is measured */
	bool mark_summary; /* csv: mark the rows of the totals with "summary" */
	bool hide_zero;	   /* omit rows for which stat_row__is_zero() returns true */
	bool range;	   /* if runs > 1: also print the smallest and the largest value */
	bool csv_header;   /* csv: begin with a line that contains the names of the fields */
	bool metric_only;  /* print only metrics, in the lines that metric-only.h describes */
	time_t started;	   /* if not 0: begin with a comment that gives this time; not in JSON */
};

enum target_kind {
	TARGET_COMMAND, /* output_head.argv is the command */
	/*
	 * for this kind and all later kinds except TARGET_SYSTEM, output_head.text is the list (of
	 * IDs, CPUs or names) that the user gave
	 */
	TARGET_PROCESS,
	TARGET_THREAD,
	TARGET_SYSTEM, /* output_head.text is unused */
	TARGET_CPUS,
	TARGET_BPF_PROG,
	TARGET_SCOPE,
	TARGET_KIND_NR
};

/* The target, for the heading of a report. The struct does not own the strings. */
struct output_head {
	enum target_kind kind;
	const char *text;
	const char *const *argv; /* ends with NULL */
	int runs_done;		 /* completed repetitions if -r ended early; otherwise 0 */
};

/* The times at the end of a report, in seconds. */
struct output_foot {
	double elapsed;	  /* mean of the repetitions */
	double deviation; /* standard error of the mean; 0 for one repetition */
	double shortest;  /* `shortest` and `longest` are valid only with output_config.range */
	double longest;
	const double *runs; /* the time of each repetition (--table), or NULL */
	int nr_runs;
	bool has_rusage; /* `user` and `sys`, the CPU times of the command, are valid */
	double user;
	double sys;
};

/*
 * Each int function below returns 0, or the first error as a negative errno: -ENOMEM, or the error
 * of a write, for example -ENOSPC or -EPIPE. (The caller must block or ignore SIGPIPE.) After an
 * error, all later calls return the same error. If output__new() fails, *@output is NULL.
 */
int output__new(const struct output_config *config, struct output **output);
int output__begin(struct output *output, const struct output_head *head);
int output__rows(struct output *output, const struct stat_rows *rows);
int output__interval(struct output *output, const struct timespec *since_start,
		     const struct stat_rows *rows);
/*
 * output__outlier() adds one outlier (--outliers), and may be called at any time.
 * output__outlier_foot() adds the summary below the outliers: how many were printed, how many the
 * rate limit suppressed, and how many were lost.
 */
int output__outlier(struct output *output, const struct outlier_row *row);
int output__outlier_foot(struct output *output, const struct outlier_foot *foot);
/* Adds a comment after the rows of a text report. In other formats, does nothing. */
int output__note(struct output *output, const char *text);
int output__end(struct output *output, const struct output_foot *foot);
void output__free(struct output *output);

#endif
