/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the stream and the formats: what a format has to do, and what it may see. */
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

/* What the formats read, and the text that they add to. */
struct output_state {
	struct output_config config; /* separator never NULL, runs at least 1 */
	struct strbuf text;	     /* written and emptied by the stream */
	int unit_width;		     /* of the rows at hand */
	int prog_width;		     /* the same */
	const struct timespec *time; /* of the interval at hand, else NULL */
	bool outliers;		     /* a single run has been printed */
	char heading[128];	     /* of default metrics: the last one that was printed */
};

/* Each adds whole lines to state->text. A function that is NULL has nothing to add. */
struct output_format {
	bool has_comments; /* a line may begin with # */
	void (*head)(struct output_state *state, const struct output_head *head);
	void (*columns)(struct output_state *state); /* above the rows of intervals, now and then */
	void (*row)(struct output_state *state, const struct stat_row *row);
	/*
	 * A row of --hist or --outliers; NULL: runs.c shows them to people. @has_time: its line begins as
	 * those of counts do.
	 */
	void (*data)(struct output_state *state, const struct column *columns, const void *row, bool has_time);
	void (*foot)(struct output_state *state, const struct output_foot *foot);
	/* with --metric-only, instead of row: the columns' names, and a line of values; @first is a row of the line */
	void (*metric_heading)(struct output_state *state, const struct metric_columns *columns);
	void (*metric_line)(struct output_state *state, const struct stat_row *first,
			    const struct metric_columns *columns);
};

/*
 * The aggregate's name: "S0-D1", "CPU3", "comm-12"; empty for rows of the whole. @counted: the number of readings in it
 * stands behind the name.
 */
void format__aggr_name(const struct stat_row *row, struct strbuf *name, bool *counted);

/* Is metric @i of @row the first one below its heading? */
bool format__begins_heading(const struct stat_row *row, int i);
/*
 * Returns the heading of @metric if it has to be printed; NULL if it equals the last one that was
 * printed.
 */
const char *format__new_heading(struct output_state *state, const struct row_metric *metric);

/* For people: a distribution, and what --outliers shows, with a heading above the first run. */
void runs__add_hist(struct output_state *state, const struct stat_hist *hist);
void runs__add_outlier(struct output_state *state, const struct outlier_row *row);
void runs__add_outlier_foot(struct output_state *state, const struct outlier_foot *foot);

/* 100 × running / enabled with the fraction cut off; 100 when the event was never enabled or always ran. */
double format__whole_percent(const struct stat_row *row);

#endif
