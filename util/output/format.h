/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface between output.c, which writes to the output stream, and std.c, csv.c and json.c,
 * which implement the formats.
 */
#ifndef PSTAT_OUTPUT_FORMAT_H
#define PSTAT_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "util/base/strbuf.h"
#include "util/output/output.h"

struct column;
struct metric_columns;
struct outlier_foot;
struct outlier_row;
struct row_metric;
struct stat_hist;
struct stat_row;

/* The state of an output, and the text to which a format adds its lines. */
struct output_state {
	struct output_config config; /* `separator` is never NULL, `runs` is at least 1 */
	struct strbuf text;	     /* output.c writes this text and then empties it */
	int unit_width;		     /* width of the widest unit in the current rows */
	int prog_width;		     /* width of the longest program or scope name */
	const struct timespec *time; /* printed in rows of an interval; NULL for other rows */
	char time_text[40];	     /* if `time` is set: its text, in seconds with nine decimals */
	bool outliers;		     /* std: the heading of the outliers has been printed */
	bool has_header;	     /* csv: the heading line has been printed, or is not needed */
	char heading[128];	     /* last printed row_metric.heading */
};

/*
 * The functions of a format. Each function adds whole lines to state->text. A pointer is NULL if
 * the format has no such lines.
 */
struct output_format {
	bool has_comments; /* a line that begins with # is a comment */
	void (*head)(struct output_state *state, const struct output_head *head);
	/* adds the heading above rows of intervals (-I); output.c repeats this heading regularly */
	void (*columns)(struct output_state *state);
	void (*row)(struct output_state *state, const struct stat_row *row);
	/*
	 * Adds a row of --hist or --outliers. If @has_time is true, a CSV line begins with the same
	 * time or "summary" as the lines of counts. NULL: runs.c adds these rows.
	 */
	void (*data)(struct output_state *state, const struct column *columns, const void *row,
		     bool has_time);
	void (*foot)(struct output_state *state, const struct output_foot *foot);
	void (*note)(struct output_state *state, const char *text);
	/*
	 * With --metric-only, these functions are called instead of row(). metric_heading() adds
	 * the names of the columns, and metric_line() adds a line of values. @first is the first
	 * row whose metrics are in this line.
	 */
	void (*metric_heading)(struct output_state *state, const struct metric_columns *columns);
	void (*metric_line)(struct output_state *state, const struct stat_row *first,
			    const struct metric_columns *columns);
};

/*
 * Returns true if metric @i of @row has a heading, unless metric @i - 1 has the same heading.
 */
bool format__begins_heading(const struct stat_row *row, int i);
/*
 * Returns NULL if the heading of @metric is equal to the last printed heading. Otherwise, returns
 * the heading of @metric and stores it as the last printed heading.
 */
const char *format__new_heading(struct output_state *state, const struct row_metric *metric);

/*
 * Add the text of --hist and --outliers: runs__add_hist() adds a histogram, runs__add_outlier()
 * adds an outlier (and a heading above the first one), and runs__add_outlier_foot() adds the
 * numbers of printed, suppressed and lost outliers.
 */
void runs__add_hist(struct output_state *state, const struct stat_hist *hist);
void runs__add_outlier(struct output_state *state, const struct outlier_row *row);
void runs__add_outlier_foot(struct output_state *state, const struct outlier_foot *foot);

/*
 * Returns 100 × running / enabled, rounded down to a whole number. Returns 100 if the event was
 * never enabled.
 */
double format__whole_percent(const struct stat_row *row);

#endif
