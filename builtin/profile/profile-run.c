// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat profile, in its order:
 *
 *	profile-options.c	argv; its targets, events and times are settled as those of
 *				`pstat stat` are (builtin/stat/stat-raw.h)
 *	a session		whose only backend samples: util/count/profile/profile.h
 *	util/report/profile/	rows of what was sampled, and their columns
 *	a row_writer		rows to bytes: util/output/row-writer.h
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/count-end.h"
#include "builtin/output-file.h"
#include "builtin/profile/profile-options.h"
#include "util/base/interrupt.h"
#include "util/base/log.h"
#include "util/base/report-write.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/bpf-util.h"
#include "util/count/session.h"
#include "util/output/row-writer.h"
#include "util/report/profile/code-rows.h"
#include "util/report/profile/profile-lines.h"
#include "util/report/profile/profile-totals.h"
#include "util/report/profile/stack-rows.h"

struct profiling {
	struct profile_options *options;
	struct output_file out;
	bool begun;		   /* something was written */
	struct stack_namer *namer; /* without -b, from the first time that something is shown */
	bool has_warned;	   /* that the namer does not know the kernel's functions */
	bool is_cut;		   /* a signal ended the namer's work early */
};

/* The rows of an interval, or of all samples. */
struct profile_report {
	struct profile_source from;
	struct profile_totals *totals; /* [event] */
	struct profile_lines lines;    /* with -b */
	struct code_rows code;	       /* with --annotate */
	struct stack_rows stacks;      /* without -b */
};

static int write_text(struct profiling *p, const struct strbuf *text)
{
	FILE *file = p->out.file ?: stdout;
	int err = p->out.file && !p->begun ? output_file__begin(&p->out) : 0;

	if (err)
		return err;
	p->begun = true;
	err = report_write(file, text->text, text->len);
	if (!err)
		return 0;
	output_file__failed(&p->out);
	pr_err("cannot write the profile: %s", strerror(-err));
	return err;
}

/* ---- rows ---- */

static int make_stacks(struct profiling *p, struct profile_report *report)
{
	const struct profile *profile = &p->options->profile;
	const char *why;
	int err;

	/* the next report may have the time for what a signal cut short */
	if (p->is_cut)
		stack_namer__free(p->namer);
	if (!p->namer || p->is_cut) {
		p->namer = stack_namer__new(profile, p->options->lines);
		p->has_warned = false;
	}
	if (!p->namer)
		return -ENOMEM;
	err = stack_rows__make(&report->from, report->totals, p->namer, &report->stacks);
	why = stack_namer__kernel_error(p->namer);
	if (why && !p->has_warned)
		pr_warn("functions of the kernel are not known: %s", why);
	p->has_warned = why;
	p->is_cut = interrupt__is_due();
	if (!err && p->is_cut)
		pr_warn("a signal ended the lookup of functions early: some of the functions that are shown as unknown "
			"were not looked up");
	return err;
}

static int make_report(struct profiling *p, struct profile_report *report)
{
	const struct profile_source *from = &report->from;
	int err = 0;

	report->totals = profile_totals__make(from);
	if (!report->totals)
		return -ENOMEM;
	if (p->options->sampling.progs)
		err = profile_lines__make(from, report->totals, &report->lines);
	if (!err && p->options->annotate)
		err = code_rows__make(from, report->totals, &report->code);
	if (!err && p->options->profile.stacks)
		err = make_stacks(p, report);
	return err;
}

static void free_report(struct profile_report *report)
{
	free(report->totals);
	profile_lines__free(&report->lines);
	code_rows__free(&report->code);
	stack_rows__free(&report->stacks);
}

/* ---- CSV, JSON, and folded stacks: all rows of a kind, then those of the next kind ---- */

static void add_rows(struct row_writer *w, const struct column *columns, const void *rows, int nr, size_t size)
{
	for (int i = 0; i < nr; i++)
		row_writer__row(w, columns, (const char *)rows + (size_t)i * size);
}

static void add_data(const struct profile_options *options, const struct profile_report *report, struct row_writer *w)
{
	const struct stack_rows *stacks = &report->stacks;
	const struct profile_lines *lines = &report->lines;

	row_writer__begin(w, NULL);
	add_rows(w, profile_line_columns, lines->rows, lines->nr, sizeof(*lines->rows));
	if (options->folded)
		add_rows(w, stack_columns, stacks->stacks, stacks->nr_stacks, sizeof(*stacks->stacks));
	else
		add_rows(w, symbol_columns, stacks->symbols, stacks->nr_symbols, sizeof(*stacks->symbols));
	add_rows(w, stack_losses_columns, stacks->losses, stacks->nr_events, sizeof(*stacks->losses));
	for (int i = 0; i < report->code.nr; i++)
		row_writer__row(w, code_row__columns(&report->code.rows[i]), &report->code.rows[i]);
	add_rows(w, profile_totals_columns, report->totals, options->profile.nr_events, sizeof(*report->totals));
	row_writer__end(w);
}

/* ---- tables: all rows of an event, then those of the next event ---- */

static void add_comments(struct row_writer *w, const struct column *columns, const void *row)
{
	row_writer__begin(w, columns);
	row_writer__row(w, columns, row);
	row_writer__end(w);
}

static void add_symbols(const struct stack_rows *stacks, const struct column *columns, int event, struct row_writer *w)
{
	row_writer__begin(w, columns);
	for (int i = 0; i < stacks->nr_symbols; i++) {
		const struct symbol_row *row = &stacks->symbols[i];

		if (row->sums.event.nr == event && symbol_row__is_in_tables(row))
			row_writer__row(w, columns, row);
	}
	row_writer__end(w);
}

static void add_lines(const struct profile_lines *lines, int event, struct row_writer *w)
{
	row_writer__begin(w, profile_line_columns);
	for (int i = 0; i < lines->nr; i++)
		if (lines->rows[i].sums.event.nr == event)
			row_writer__row(w, profile_line_columns, &lines->rows[i]);
	row_writer__end(w);
}

/* A table for each program. */
static void add_code(const struct code_rows *code, int event, struct row_writer *w)
{
	const struct code_row *last = NULL;

	for (int i = 0; i <= code->nr; i++) {
		const struct code_row *row = i < code->nr ? &code->rows[i] : NULL;

		if (row && row->sums.event.nr != event)
			continue;
		if (last && (!row || row->prog != last->prog)) {
			row_writer__end(w);
			strbuf__addc(w->text, '\n');
		}
		if (row && (!last || row->prog != last->prog)) {
			add_comments(w, code_title_columns, row);
			row_writer__begin(w, code_source_columns);
		}
		if (row)
			row_writer__row(w, code_row__columns(row), row);
		last = row;
	}
}

static void add_tables(const struct profile_options *options, const struct profile_report *report, struct row_writer *w)
{
	const struct column *symbols = options->lines ? symbol_line_columns : symbol_columns;

	for (int event = 0; event < options->profile.nr_events; event++) {
		add_comments(w, profile_totals_columns, &report->totals[event]);
		if (options->profile.stacks) {
			add_comments(w, stack_losses_columns, &report->stacks.losses[event]);
			add_symbols(&report->stacks, symbols, event, w);
		} else {
			add_lines(&report->lines, event, w);
		}
		strbuf__addc(w->text, '\n');
		add_code(&report->code, event, w);
	}
}

/* ---- all formats ---- */

static void add_text(const struct profile_options *options, const struct profile_report *report, struct strbuf *text)
{
	const struct stat_options *stat = &options->stat;
	struct row_writer w = {
		.format = stat->json	      ? &row_json :
			  stat->csv_separator ? &row_csv :
			  options->folded     ? &row_folded :
						&row_table,
		.text = text,
		.separator = stat->csv_separator,
		.is_interval = report->from.is_interval,
		.time_ns = report->from.time_ns,
		.lines = STRBUF_INIT,
	};

	(w.format == &row_table ? add_tables : add_data)(options, report, &w);
}

static int show(struct profiling *p, const struct session_tick *tick, bool is_interval)
{
	struct strbuf text = STRBUF_INIT;
	struct profile_report report = {
		.from = {
			.sampling = &p->options->sampling,
			.counts = tick->counts,
			.is_interval = is_interval,
			.time_ns = tick->time_ns,
		},
	};
	int err = make_report(p, &report);

	if (!err) {
		add_text(p->options, &report, &text);
		err = strbuf__failed(&text) ? -ENOMEM : 0;
	}
	if (err)
		pr_err("out of memory");
	err = err ?: write_text(p, &text);
	free_report(&report);
	strbuf__free(&text);
	return err;
}

/* session_interval_fn */
static int show_interval(void *ctx, const struct session_tick *tick)
{
	struct profiling *p = ctx;
	int err = show(p, tick, true);

	profile__mark(&p->options->profile);
	return err;
}

static int run_session(struct profiling *p, struct session *session, int *died_of)
{
	const struct stat_config *cfg = &p->options->stat.count;
	enum procfs_tasks tasks = sysroots__procfs_tasks(sysroots__host());
	struct session_end end = {};

	if (p->options->profile.stacks && tasks != PROCFS_OWN)
		pr_warn("cannot find out which programs processes run: %s", procfs_tasks__why_not(tasks));
	if (session__run(session, show_interval, p, &end))
		return count_end__failed(&end);
	if (end.exec_err)
		return count_end__exec_failed(cfg->argv[0], end.exec_err);
	count_end__tell_missed(end.missed_intervals, LOG_WARNING);
	/* no reading shows the loss here, so warn whenever the exec removed the events */
	end.loss.found = end.loss.change != EXEC_SAME;
	count_end__tell_loss(end.loss.found ? cfg->argv[0] : NULL, &end.loss,
			     "profile it with -a, which needs more privileges", LOG_WARNING);
	/* the signal that ended the count may have arrived twice: only a signal from now on cuts the report short */
	session__pending_signal(session);
	if (!cfg->interval_ns && show(p, &end.total, false))
		return EXIT_FAILED;
	*died_of = count_end__fatal_signal(&end);
	return count_end__command_code(cfg->argv ? cfg->argv[0] : NULL, &end, false);
}

static int run(struct profile_options *options, int *died_of)
{
	const struct stat_options *stat = &options->stat;
	struct profiling p = { .options = options };
	struct session *session = NULL;
	int code = 0;

	if (stat->output && output_file__open(&p.out, stat->output, stat->append))
		code = EXIT_FAILED;
	if (!code && session__new(stat->evlist, &stat->count, &session))
		code = EXIT_FAILED;
	code = code ?: run_session(&p, session, died_of);
	session__free(session);
	stack_namer__free(p.namer);
	if (output_file__close(&p.out))
		code = EXIT_FAILED;
	return code;
}

int cmd_profile(int argc, char **argv)
{
	struct profile_options options;
	int died_of = 0, code;

	command__set_locale();
	argv[0] = (char *)"pstat profile";
	code = profile_options__parse(argc, argv, &options);
	if (!code) {
		bpf_util__init();
		code = run(&options, &died_of);
	}
	profile_options__free(&options);
	if (died_of)
		count_end__die_of(died_of);
	return code;
}
