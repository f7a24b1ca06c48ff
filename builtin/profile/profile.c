// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat profile, in its order:
 *
 *	profile-options.c	argv, whose targets, events and times are settled as those of `pstat stat` (builtin/stat/stat-raw.h)
 *	a session		whose only backend samples: util/count/profile/profile.h
 *	profile-rows.c		samples inside BPF programs to rows, profile-notes.c to annotated code
 *	profile-stacks.c	samples with stacks to rows
 *	profile-view.h		rows to bytes
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/count-end.h"
#include "builtin/output-file.h"
#include "builtin/profile/profile-data.h"
#include "builtin/profile/profile-folded.h"
#include "builtin/profile/profile-notes.h"
#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-print.h"
#include "builtin/profile/profile-rows.h"
#include "builtin/profile/profile-stacks.h"
#include "builtin/profile/profile-view.h"
#include "util/base/interrupt.h"
#include "util/base/log.h"
#include "util/base/report-write.h"
#include "util/base/strbuf.h"
#include "util/base/sysfs.h"
#include "util/count/bpf-util.h"
#include "util/count/session.h"

struct profiling {
	struct profile_options *options;
	struct output_file out;
	bool begun;		   /* something was written */
	struct stack_namer *namer; /* without -b, from the first time that something is shown */
	bool is_cut;		   /* a signal ended the namer's work early */
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

static int make_stacks(struct profiling *p, bool is_interval, struct stack_rows *stacks)
{
	const struct profile *profile = &p->options->profile;
	int err;

	/* the next report may have the time for what a signal cut short */
	if (p->is_cut)
		stack_namer__free(p->namer);
	if (!p->namer || p->is_cut)
		p->namer = stack_namer__new(profile, p->options->lines);
	err = p->namer ? stack_rows__make(profile, p->namer, is_interval, stacks) : -ENOMEM;
	p->is_cut = interrupt__is_due();
	if (!err && p->is_cut)
		pr_warn("a signal ended the lookup of functions early: some of the functions that are shown as unknown "
			"were not looked up");
	return err;
}

static void add_text(const struct profile_view *view, struct strbuf *text)
{
	const struct stat_options *stat = &view->options->stat;

	if (stat->json)
		profile_data__json(view, text);
	else if (stat->csv_separator)
		profile_data__csv(view, text);
	else if (view->options->folded)
		folded__add(view, text);
	else
		profile_print__table(view, text);
}

static int show(struct profiling *p, const struct session_tick *tick, bool is_interval)
{
	struct strbuf text = STRBUF_INIT;
	struct profile_notes notes = { 0 };
	struct profile_rows rows;
	struct stack_rows stacks = { 0 };
	bool has_stacks = p->options->profile.stacks;
	struct profile_view view = {
		.options = p->options,
		.rows = &rows,
		.stacks = has_stacks ? &stacks : NULL,
		.notes = p->options->annotate ? &notes : NULL,
		.is_interval = is_interval,
		.time_ns = tick->time_ns,
	};
	int err = profile_rows__make(&p->options->sampling, tick->counts, is_interval, &rows);

	if (!err && p->options->annotate)
		err = profile_notes__make(&p->options->profile, is_interval, &notes);
	if (!err && has_stacks)
		err = make_stacks(p, is_interval, &stacks);
	if (!err) {
		add_text(&view, &text);
		err = strbuf__failed(&text) ? -ENOMEM : 0;
	}
	if (err)
		pr_err("out of memory");
	err = err ?: write_text(p, &text);
	profile_notes__free(&notes);
	profile_rows__free(&rows);
	stack_rows__free(&stacks);
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
