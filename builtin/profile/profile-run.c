// SPDX-License-Identifier: GPL-2.0-only
/*
 * The steps of pstat profile:
 *
 *	profile-options.c
 *	    reads argv: builtin/profile/profile-options.h
 *	a session
 *	    takes the samples, with a single backend: util/count/profile/profile.h
 *	util/report/profile/
 *	    makes rows from the samples
 *	a row_writer
 *	    writes the rows: util/output/row-writer.h
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin/builtin.h"
#include "builtin/count-end.h"
#include "builtin/output-file.h"
#include "builtin/profile/profile-options.h"
#include "builtin/why/why-hint.h"
#include "util/base/interrupt.h"
#include "util/base/log.h"
#include "util/base/report-write.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/bpf-util.h"
#include "util/count/measurement.h"
#include "util/count/session.h"
#include "util/output/row-writer.h"
#include "util/report/profile/profile-report.h"

struct profiling {
	struct profile_options *options;
	struct output_file out;
	bool begun;		   /* something was written */
	struct stack_namer *namer; /* looks names up; NULL with -b, or before the first report */
	bool has_warned;	   /* pstat has warned that the kernel's functions are unknown */
	bool is_refused;	   /* the kernel refused an event or the BPF program */
	bool is_cut;		   /* a signal interrupted the previous lookup of names */
};

/* Returns whether standard output, which the command inherits, is /dev/null. */
static bool discards_stdout(void)
{
	struct stat out, null;

	return !fstat(STDOUT_FILENO, &out) && S_ISCHR(out.st_mode) && !stat("/dev/null", &null) &&
	       out.st_rdev == null.st_rdev;
}

/*
 * Returns the file for the profile if -o was not given. In `pstat profile -- COMMAND >/dev/null`,
 * the user wants to discard only the output of the command. In this case, returns stderr.
 */
static FILE *default_file(const struct profiling *p)
{
	bool has_command = p->options->stat.count.argv;

	return has_command && discards_stdout() ? stderr : stdout;
}

static int write_text(struct profiling *p, const struct strbuf *text)
{
	FILE *file = p->out.file ?: default_file(p);
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

static unsigned int name_flags(const struct profile_options *options)
{
	return (options->lines ? CODE_LINES : 0) | (options->raw_names ? 0 : CODE_DEMANGLE) |
	       (options->no_inlined ? 0 : CODE_INLINED);
}

static int make_stacks(struct profiling *p, struct profile_report *report)
{
	const char *why;
	int err;

	/*
	 * if a signal interrupted the previous report, some names are missing, so look them up
	 * again
	 */
	if (p->is_cut)
		stack_namer__free(p->namer);
	if (!p->namer || p->is_cut) {
		p->namer = stack_namer__new(report->measurement->profile, name_flags(p->options));
		p->has_warned = false;
	}
	if (!p->namer)
		return -ENOMEM;
	report->namer = p->namer;
	err = profile_report__make_stacks(report);
	why = stack_namer__kernel_error(p->namer);
	if (why && !p->has_warned)
		pr_warn("the functions of the kernel are unknown: %s", why);
	p->has_warned = why;
	p->is_cut = interrupt__is_due();
	if (!err && p->is_cut)
		pr_warn("a signal ended the lookup of function names early: functions that were "
			"not looked up are shown as unknown");
	return err;
}

static int make_report(struct profiling *p, struct profile_report *report)
{
	int err = profile_report__make_totals(report);

	if (!err && p->options->sampling.progs)
		err = profile_report__make_lines(report);
	if (!err && p->options->annotate)
		err = profile_report__make_code(report);
	if (!err && !p->options->sampling.progs)
		err = make_stacks(p, report);
	return err;
}

/* ---- CSV, JSON and folded stacks: grouped by the kind of row ---- */

static void add_data(const struct profile_options *options, const struct profile_report *report,
		     struct row_writer *w)
{
	int nr_events = report->measurement->nr;

	row_writer__begin(w, NULL);
	row_writer__rows(w, profile_line_columns, report->lines, report->nr_lines,
			 sizeof(*report->lines));
	if (options->folded)
		row_writer__rows(w, stack_columns, report->stacks, report->nr_stacks,
				 sizeof(*report->stacks));
	else
		row_writer__rows(w, symbol_columns, report->symbols, report->nr_symbols,
				 sizeof(*report->symbols));
	if (!options->sampling.progs)
		row_writer__rows(w, profile_losses_columns, report->totals, nr_events,
				 sizeof(*report->totals));
	for (int i = 0; i < report->nr_code; i++)
		row_writer__row(w, code_row__columns(&report->code[i]), &report->code[i]);
	row_writer__rows(w, profile_totals_columns, report->totals, nr_events,
			 sizeof(*report->totals));
	row_writer__end(w);
}

/* ---- tables: grouped by event ---- */

#define USUAL_WIDTH 100 /* for files, pipes and very narrow terminals */
#define LEAST_WIDTH 40

/*
 * Adds a table of the rows of @event. If @needs is not NULL, omits the rows for which it returns
 * false. Each of the @nr structs at @rows has @size bytes, and begins with a struct row_event.
 */
static void add_table(struct row_writer *w, const struct column *columns, int event,
		      const void *rows, int nr, size_t size, bool (*needs)(const void *row))
{
	row_writer__begin(w, columns);
	for (int i = 0; i < nr; i++) {
		const struct row_event *row = (const void *)((const char *)rows + (size_t)i * size);

		if (row->nr == event && (!needs || needs(row)))
			row_writer__row(w, columns, row);
	}
	row_writer__end(w);
}

/*
 * Adds a title and a table of source lines or instructions for each BPF program in which @event was
 * sampled.
 */
static void add_code(struct row_writer *w, const struct profile_report *report, int event)
{
	const struct code_row *row, *end;
	const struct code_row *last = report->nr_code ? report->code + report->nr_code : NULL;

	for (row = report->code; row < last; row = end) {
		for (end = row; end < last; end++)
			if (end->sums.event.nr != row->sums.event.nr || end->prog != row->prog)
				break;
		if (row->sums.event.nr != event)
			continue;
		add_table(w, code_title_columns, event, row, 1, sizeof(*row), NULL);
		row_writer__begin(w, code_source_columns);
		for (; row < end; row++)
			row_writer__row(w, code_row__columns(row), row);
		row_writer__end(w);
		strbuf__addc(w->text, '\n');
	}
}

/* Returns the maximum width of tables, in columns of the terminal. */
static size_t table_width(const struct profiling *p)
{
	struct winsize size;
	FILE *file = p->out.file ?: default_file(p);

	if (ioctl(fileno(file), TIOCGWINSZ, &size) || size.ws_col < LEAST_WIDTH)
		return USUAL_WIDTH;
	return size.ws_col;
}

static void add_tables(const struct profile_options *options, const struct profile_report *report,
		       struct row_writer *w)
{
	const struct column *symbols = options->lines ? symbol_line_columns : symbol_columns;
	size_t max_width = w->max_width;

	for (int event = 0; event < report->measurement->nr; event++) {
		const struct profile_totals *totals = &report->totals[event];

		add_table(w, profile_totals_columns, event, totals, 1, sizeof(*totals), NULL);
		if (!options->sampling.progs) {
			add_table(w, profile_losses_columns, event, totals, 1, sizeof(*totals),
				  NULL);
			add_table(w, symbols, event, report->symbols, report->nr_symbols,
				  sizeof(*report->symbols), symbol_row__is_in_tables);
		} else {
			add_table(w, profile_line_columns, event, report->lines, report->nr_lines,
				  sizeof(*report->lines), NULL);
		}
		strbuf__addc(w->text, '\n');
		/* do not truncate lines of code */
		w->max_width = 0;
		add_code(w, report, event);
		w->max_width = max_width;
	}
}

/* ---- all formats ---- */

static void add_text(const struct profiling *p, const struct profile_report *report,
		     struct strbuf *text)
{
	const struct profile_options *options = p->options;
	const struct stat_options *stat = &options->stat;
	struct row_writer w = {
		.format = stat->json	      ? &row_json :
			  stat->csv_separator ? &row_csv :
			  options->folded     ? &row_folded :
						&row_table,
		.text = text,
		.separator = stat->csv_separator,
		.is_interval = report->is_interval,
		.time_ns = report->measurement->time_ns,
		.max_width = table_width(p),
		.lines = STRBUF_INIT,
	};

	(w.format == &row_table ? add_tables : add_data)(options, report, &w);
}

static int show(struct profiling *p, const struct measurement *measurement, bool is_interval)
{
	struct strbuf text = STRBUF_INIT;
	struct profile_report report = {
		.sampling = &p->options->sampling,
		.measurement = measurement,
		.is_interval = is_interval,
	};
	int err = make_report(p, &report);

	if (!err) {
		add_text(p, &report, &text);
		err = strbuf__failed(&text) ? -ENOMEM : 0;
	}
	if (err)
		pr_err("out of memory");
	err = err ?: write_text(p, &text);
	profile_report__free(&report);
	strbuf__free(&text);
	return err;
}

/* Called at the end of each interval (session_sink.interval). */
static int show_interval(void *ctx, const struct measurement *measurement)
{
	return show(ctx, measurement, true);
}

static int run_session(struct profiling *p, struct session *session, int *died_of)
{
	const struct stat_config *cfg = &p->options->stat.count;
	enum procfs_tasks tasks = sysroots__procfs_tasks(sysroots__host());
	const struct session_sink sink = { .ctx = p, .interval = show_interval };
	struct session_end end = {};

	if (!p->options->sampling.progs && tasks != PROCFS_OWN)
		pr_warn("cannot find out which programs the sampled processes run: %s",
			procfs_tasks__why_not(tasks));
	if (session__run(session, &sink, &end)) {
		p->is_refused = end.is_refused;
		return count_end__failed(&end);
	}
	if (end.exec_err)
		return count_end__exec_failed(cfg->argv[0], end.exec_err);
	count_end__report_missed(end.missed_intervals, LOG_WARNING);
	if (end.never_started && !end.never_enabled)
		pr_warn("the point of --start was never reached: no samples were taken");
	/*
	 * The kernel removes the events of a process that executes, for example, a setuid program
	 * (exec-loss.h). `pstat stat` detects this by comparing the events' enabled time with the
	 * command's CPU time. A profile has no such times, so warn whenever the kernel removed the
	 * events at the command's own exec.
	 */
	end.loss.found = end.loss.change != EXEC_SAME;
	count_end__report_loss(end.loss.found ? cfg->argv[0] : NULL, &end.loss,
			       "sample all CPUs with -a, which needs more privileges", LOG_WARNING);
	/*
	 * Discard a signal that has arrived since counting ended. Only a signal that arrives from
	 * now on interrupts the report.
	 */
	session__pending_signal(session);
	if (!cfg->interval_ns && show(p, end.total, false))
		return EXIT_FAILED;
	*died_of = count_end__fatal_signal(&end);
	return count_end__command_code(cfg->argv ? cfg->argv[0] : NULL, &end, false);
}

static int run(struct profile_options *options, int *died_of, bool *is_refused)
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
	*is_refused = p.is_refused;
	stack_namer__free(p.namer);
	session__free(session);
	if (output_file__close(&p.out))
		code = EXIT_FAILED;
	return code;
}

int command__profile(int argc, char **argv)
{
	struct profile_options options;
	const struct why_hint hint = {
		.command = "profile", .argc = argc, .argv = argv, .options = &options.stat
	};
	bool is_refused = false;
	int died_of = 0, code;

	command__set_locale();
	argv[0] = (char *)"pstat profile";
	code = profile_options__parse(argc, argv, &options);
	if (!code) {
		bpf_util__init();
		code = run(&options, &died_of, &is_refused);
	}
	if (is_refused)
		why_hint__print(&hint, LOG_ERROR);
	profile_options__free(&options);
	if (died_of)
		count_end__die_of(died_of);
	return code;
}
