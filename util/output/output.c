// SPDX-License-Identifier: GPL-2.0-only
#include "util/output/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/report-write.h"
#include "util/output/format.h"
#include "util/output/metric-only.h"
#include "util/report/outlier_row.h"
#include "util/report/stat_row.h"

#define INTERVALS_PER_HEADING 26
#define CLEAR_SCREEN "\033[H\033[2J"

struct output {
	struct output_state state;
	int intervals; /* number of intervals since the last heading */
	int err;       /* the first error, or 0 */
};

static int output__flush(struct output *output)
{
	struct strbuf *text = &output->state.text;

	if (output->err)
		return output->err;
	output->err = strbuf__failed(text) ?
			      -ENOMEM :
			      report_write(output->state.config.file, text->text, text->len);
	strbuf__reset(text);
	return output->err;
}

/*
 * Adds the line "# started on ..." and an empty line. The date has the format of ctime(3) in every
 * locale.
 */
static void add_started(struct output *output)
{
	char date[32];

	if (ctime_r(&output->state.config.started, date))
		strbuf__addf(&output->state.text, "# started on %s\n", date);
}

int output__new(const struct output_config *config, struct output **output)
{
	struct output *o = calloc(1, sizeof(*o));
	int err;

	*output = NULL;
	if (!o)
		return -ENOMEM;
	o->state.config = *config;
	o->state.text = (struct strbuf)STRBUF_INIT;
	if (!config->separator)
		o->state.config.separator = ",";
	if (config->runs < 1)
		o->state.config.runs = 1;
	if (config->started && config->format->has_comments)
		add_started(o);
	err = output__flush(o);
	if (err) {
		output__free(o);
		return err;
	}
	*output = o;
	return 0;
}

int output__begin(struct output *output, const struct output_head *head)
{
	const struct output_format *format = output->state.config.format;

	if (format->head)
		format->head(&output->state, head);
	return output__flush(output);
}

static void add_hist(struct output_state *state, const struct stat_hist *hist)
{
	if (!state->config.format->data) {
		runs__add_hist(state, hist);
		return;
	}
	for (int i = 0; i < hist->nr; i++) {
		struct hist_row row = hist_row__of(hist, i);

		if (row.bucket.runs)
			state->config.format->data(state, hist_row__columns(&row), &row, true);
	}
}

/*
 * Returns whether @rows contains a row that includes the BPF program or scope of @hist (--top may
 * have removed all such rows). Returns true for a histogram of all programs or scopes together.
 */
static bool has_rows_of(const struct stat_rows *rows, const struct stat_hist *hist)
{
	for (int i = 0; i < rows->nr; i++)
		if (hist->scope ? rows->rows[i].id.subject == hist->scope :
				  !rows->rows[i].id.subject ||
					  rows->rows[i].id.subject_id == hist->prog_id)
			return true;
	return !hist->prog && !hist->scope;
}

static bool is_shown(const struct output *output, const struct stat_rows *rows,
		     const struct stat_hist *hist)
{
	bool of_one = hist->prog || hist->scope;

	if (output->state.config.hide_zero && of_one && !hist->runs)
		return false;
	return has_rows_of(rows, hist);
}

/* Adds @rows. With --metric-only, first adds the names of the columns if @heading is true. */
static void add_rows(struct output *output, const struct stat_rows *rows, bool heading)
{
	output->state.unit_width = rows->unit_width;
	output->state.prog_width = rows->prog_width;
	if (output->state.config.metric_only) {
		metric_only__add(&output->state, rows, heading);
		return;
	}
	for (int i = 0; i < rows->nr; i++)
		if (!output->state.config.hide_zero || !stat_row__is_zero(&rows->rows[i]))
			output->state.config.format->row(&output->state, &rows->rows[i]);
	for (int i = 0; i < rows->nr_hists; i++)
		if (is_shown(output, rows, &rows->hists[i]))
			add_hist(&output->state, &rows->hists[i]);
}

int output__rows(struct output *output, const struct stat_rows *rows)
{
	output->state.time = NULL;
	add_rows(output, rows, true);
	return output__flush(output);
}

/*
 * Adds the heading above rows of intervals (-I) if it is due. With clear_screen, it is due at each
 * interval, and this function also clears the screen. Otherwise, it is due at the first of every
 * INTERVALS_PER_HEADING intervals. Returns whether it was due.
 */
static bool add_columns(struct output *output, const struct stat_rows *rows)
{
	const struct output_config *config = &output->state.config;
	bool due = output->intervals == 0 || config->clear_screen;

	output->intervals = (output->intervals + 1) % INTERVALS_PER_HEADING;
	if (!config->format->columns)
		return due;
	if (config->clear_screen)
		strbuf__adds(&output->state.text, CLEAR_SCREEN);
	if (due) {
		output->state.unit_width = rows->unit_width;
		output->state.prog_width = rows->prog_width;
		config->format->columns(&output->state);
	}
	return due;
}

int output__interval(struct output *output, const struct timespec *since_start,
		     const struct stat_rows *rows)
{
	output->state.time = since_start;
	snprintf(output->state.time_text, sizeof(output->state.time_text), "%lu.%09lu",
		 (unsigned long)since_start->tv_sec, (unsigned long)since_start->tv_nsec);
	add_rows(output, rows, add_columns(output, rows));
	output->state.time = NULL;
	return output__flush(output);
}

int output__outlier(struct output *output, const struct outlier_row *row)
{
	struct output_state *state = &output->state;

	if (state->config.format->data)
		state->config.format->data(state, outlier_row_columns, row, false);
	else
		runs__add_outlier(state, row);
	return output__flush(output);
}

int output__outlier_foot(struct output *output, const struct outlier_foot *foot)
{
	struct output_state *state = &output->state;

	if (state->config.format->data)
		state->config.format->data(state, outlier_foot_columns, foot, false);
	else
		runs__add_outlier_foot(state, foot);
	return output__flush(output);
}

int output__note(struct output *output, const char *text)
{
	struct output_state *state = &output->state;

	if (state->config.format->note)
		state->config.format->note(state, text);
	return output__flush(output);
}

int output__end(struct output *output, const struct output_foot *foot)
{
	const struct output_format *format = output->state.config.format;

	if (format->foot)
		format->foot(&output->state, foot);
	return output__flush(output);
}

void output__free(struct output *output)
{
	if (!output)
		return;
	strbuf__free(&output->state.text);
	free(output);
}

bool format__begins_heading(const struct stat_row *row, int i)
{
	const char *heading = row->metrics[i].heading,
		   *last = i ? row->metrics[i - 1].heading : NULL;

	return heading && (!last || strcmp(heading, last));
}

const char *format__new_heading(struct output_state *state, const struct row_metric *metric)
{
	if (!strncmp(state->heading, metric->heading, sizeof(state->heading) - 1))
		return NULL;
	snprintf(state->heading, sizeof(state->heading), "%s", metric->heading);
	return metric->heading;
}

double format__whole_percent(const struct stat_row *row)
{
	if (row->running == row->enabled || !row->enabled)
		return 100.0;
	return (double)((unsigned __int128)row->running * 100 / row->enabled);
}
