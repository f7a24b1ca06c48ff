// SPDX-License-Identifier: GPL-2.0-only
/*
 * The steps of pstat export:
 *
 *	export-options.c
 *	    reads argv. Most options are also options of `pstat stat`, whose functions check them
 *	    and find the tasks, CPUs, programs and events that the options name
 *	    (builtin/stat/stat-raw.h).
 *	a session
 *	    counts until a signal arrives, the command ends or the time limit of --once expires
 *	    (util/count/session.h). After each reading of the counters, the session passes a
 *	    struct measurement to a function of struct session_sink (util/count/measurement.h).
 *	export-pages.c
 *	    converts the measurement to metrics (util/report/export/), and the metrics to text
 *	    (util/output/openmetrics.h)
 *	export-textfile.c
 *	    writes the text to the file of --textfile
 *	export-serve.c
 *	    serves the text over HTTP (--listen): util/output/http-server.h
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/count-end.h"
#include "builtin/export/export-options.h"
#include "builtin/export/export-pages.h"
#include "builtin/export/export-serve.h"
#include "builtin/export/export-textfile.h"
#include "builtin/why/why-hint.h"
#include "util/base/log.h"
#include "util/base/report-write.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/count/measurement.h"
#include "util/count/session.h"

struct exporting {
	const struct export_options *options;
	struct export_pages *pages;
	struct export_textfile *textfile; /* NULL without --textfile */
	struct export_serve *serve;	  /* NULL if pstat does not listen */
};

static int print(const struct strbuf *text)
{
	int err = report_write(stdout, text->text, text->len);

	if (err)
		pr_err("cannot write the metrics: %s", strerror(-err));
	return err;
}

/* Writes the metrics of the measurement to the file of --textfile, or to standard output. */
static int write_metrics(struct exporting *e, const struct measurement *m)
{
	const struct strbuf *text;
	int err = export_pages__update(e->pages, m);

	if (err)
		return err;
	text = export_pages__text(e->pages, e->options->format);
	if (!text)
		return -ENOMEM;
	return e->textfile ? export_textfile__write(e->textfile, text) : print(text);
}

/* The session calls this function at the end of each interval (struct session_sink). */
static int take_interval(void *ctx, const struct measurement *m)
{
	return write_metrics(ctx, m);
}

static int wake_fd(void *ctx)
{
	const struct exporting *e = ctx;

	return e->serve ? export_serve__wake_fd(e->serve) : -1;
}

static int wake(void *ctx)
{
	const struct exporting *e = ctx;

	return export_serve__wake(e->serve);
}

static int take_reading(void *ctx, const struct measurement *m)
{
	const struct exporting *e = ctx;

	return export_serve__reading(e->serve, m);
}

static int run_session(struct exporting *e, struct session *session, struct session_end *end)
{
	const struct stat_config *cfg = &e->options->stat.count;
	const struct session_sink sink = {
		.ctx = e,
		.interval = take_interval,
		.wake_fd = wake_fd,
		.wake = wake,
		.reading = take_reading,
	};

	if (session__run(session, &sink, end))
		return count_end__failed(end);
	if (end->exec_err)
		return count_end__exec_failed(cfg->argv[0], end->exec_err);
	if (e->options->once && write_metrics(e, end->total))
		return EXIT_FAILED;
	return count_end__command_code(cfg->argv ? cfg->argv[0] : NULL, end, false);
}

static int run(const struct export_options *options, struct session_end *end)
{
	struct exporting e = { .options = options };
	struct session *session = NULL;
	int code = export_pages__new(options, &e.pages);

	if (!code && options->textfile)
		code = export_textfile__new(options->textfile, &e.textfile);
	if (!code && session__new(options->stat.evlist, &options->stat.count, &session))
		code = EXIT_FAILED;
	/* session__new() has blocked the signals that end pstat, as export_serve__new() requires */
	if (!code && (options->listen || (!options->textfile && !options->once)))
		code = export_serve__new(options->listen, e.pages, &e.serve);
	code = code ?: run_session(&e, session, end);
	export_serve__free(e.serve);
	export_textfile__free(e.textfile);
	if (session)
		session__end(session, LOG_INFO);
	session__free(session);
	export_pages__free(e.pages);
	return code;
}

int command__export(int argc, char **argv)
{
	struct export_options options;
	const struct why_hint hint = {
		.command = "export", .argc = argc, .argv = argv, .options = &options.stat
	};
	struct session_end end = {};
	int code;

	command__set_locale();
	argv[0] = (char *)"pstat export";
	code = export_options__parse(argc, argv, &options);
	if (!code) {
		bpf_util__init();
		code = run(&options, &end);
	}
	if (end.is_refused)
		why_hint__print(&hint, LOG_ERROR);
	export_options__free(&options);
	return code;
}
