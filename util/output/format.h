/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the stream and the formats: what a format has to do, and what it may see. */
#ifndef PSTAT_OUTPUT_FORMAT_H
#define PSTAT_OUTPUT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "util/base/strbuf.h"
#include "util/output/output.h"

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
	char heading[128];	     /* of default metrics: the last one that was printed */
};

/* Each adds whole lines to state->text. A function that is NULL has nothing to add. */
struct output_format {
	bool has_comments; /* a line may begin with # */
	void (*head)(struct output_state *state, const struct output_head *head);
	void (*columns)(struct output_state *state); /* above the rows of intervals, now and then */
	void (*row)(struct output_state *state, const struct stat_row *row);
	void (*hist)(struct output_state *state, const struct stat_hist *hist); /* below the rows, of --hist */
	void (*foot)(struct output_state *state, const struct output_foot *foot);
	void (*outlier_columns)(struct output_state *state); /* above the first of --outliers */
	void (*outlier)(struct output_state *state, const struct outlier_row *row);
	void (*outlier_foot)(struct output_state *state, const struct outlier_foot *foot);
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

/* csv: what a line of this time begins with, and a field, in quotes if it needs them. */
void format__csv_begin(struct output_state *state);
void format__csv_field(struct output_state *state, const char *field);
/* The two fields of a program; none when @prog is NULL. */
void format__csv_prog(struct output_state *state, const char *prog, uint32_t id);

/* The function `hist` of each format. */
void hist__add_std(struct output_state *state, const struct stat_hist *hist);
void hist__add_csv(struct output_state *state, const struct stat_hist *hist);
void hist__add_json(struct output_state *state, const struct stat_hist *hist);

/* The functions `outlier…` of each format. */
void outlier__add_std_columns(struct output_state *state);
void outlier__add_std(struct output_state *state, const struct outlier_row *row);
void outlier__add_std_foot(struct output_state *state, const struct outlier_foot *foot);
void outlier__add_csv(struct output_state *state, const struct outlier_row *row);
void outlier__add_csv_foot(struct output_state *state, const struct outlier_foot *foot);
void outlier__add_json(struct output_state *state, const struct outlier_row *row);
void outlier__add_json_foot(struct output_state *state, const struct outlier_foot *foot);

/* 100 × running / enabled with the fraction cut off; 100 when the event was never enabled or always ran. */
double format__whole_percent(const struct stat_row *row);

#endif
