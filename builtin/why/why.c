// SPDX-License-Identifier: GPL-2.0-only
/*
 * pstat why: what exactly the kernel refuses, for each event of a command line of `pstat stat`. It
 * opens the events as a session would (util/count/why/why-events.h) and counts nothing.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-options.h"
#include "builtin/version.h"
#include "builtin/why/why-bpf.h"
#include "builtin/why/why-row.h"
#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/bpf-util.h"
#include "util/count/why/why-events.h"
#include "util/count/why/why-remedy.h"
#include "util/count/why/why-watch.h"
#include "util/event/evsel.h"
#include "util/output/row-writer.h"

/* Only for --help: these and all others are read as options of `pstat stat`. */
static const struct argp_option shown_options[] = {
	{ "event", 'e', "EVENT[,EVENT...]", 0, "the events; default: those of pstat stat", 0 },
	{ "bpf-prog", 'b', "PROG[,PROG...]", 0, "check these BPF programs", 0 },
	{ "all-cpus", 'a', NULL, 0, "open the events on all CPUs", 0 },
	{ "cpu", 'C', "CPU[,CPU-CPU...]", 0, "open the events on these CPUs", 0 },
	{ "pid", 'p', "PID[,PID...]", 0, "open the events for all threads of these processes", 0 },
	{ "tid", 't', "TID[,TID...]", 0, "open the events for these threads", 0 },
	{ "cgroup", 'G', "NAME[,NAME...]", 0, "open the events for the tasks of a cgroup", 0 },
	{ "bpf-counters", 1, NULL, 0, "open the events as shared counters are opened: for CPUs",
	  0 },
	{ "no-inherit", 'i', NULL, 0, "do not let child tasks inherit the events", 0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 },
};

static bool take_no_option(void *to, int key, char *arg)
{
	(void)to;
	(void)key;
	(void)arg;
	return false;
}

static const struct command_words help_words = {
	.options = shown_options,
	.take_option = take_no_option,
	.args_doc = "[COMMAND [ARG...]]",
	.doc = "Find out why the kernel refuses events, and what would work. All options of `pstat "
	       "stat` are accepted: insert the word why into a command line that failed. Nothing "
	       "is counted, and COMMAND is not run.\n\n"
	       "Examples:\n"
	       "  pstat why -e cycles:pp,cs -a       why these events cannot be counted\n"
	       "  pstat why -j -e cycles -p 1234     the reasons as JSON\n"
	       "  pstat why -b 42 -e cycles          why a BPF program cannot be counted\n",
};

struct why {
	bool json;
	bool refused; /* an event was refused */
	bool tried_to_watch;
	struct why_watch *watch; /* NULL: not tried yet, or impossible */
	int nr_seen;
	struct seen {
		const struct why_event *event;
		struct why_seen seen;
	} * seen; /* of the refused events that are not printed yet */
	struct strbuf text;
	struct row_writer writer;
};

static void add_where(const struct event_place *at, struct strbuf *sb)
{
	if (at->flags & PERF_FLAG_PID_CGROUP)
		strbuf__addf(sb, "for the cgroup on CPU %d", at->cpu);
	else if (at->pid > 0)
		strbuf__addf(sb, "for task %d", at->pid);
	else if (at->pid < 0)
		strbuf__addf(sb, "on CPU %d", at->cpu);
	else
		strbuf__adds(sb, "for a command");
	if (at->group_fd >= 0)
		strbuf__adds(sb, " in its group");
}

static void add_fix(const struct why_changes *changes, const struct why_fix *fix, struct strbuf *sb)
{
	strbuf__adds(sb, changes->list[fix->first].words);
	if (fix->second >= 0)
		strbuf__addf(sb, " and %s", changes->list[fix->second].words);
}

static void write_row(struct why *why, const struct why_row *row)
{
	if (why->json)
		row_writer__row(&why->writer, why_row_columns, row);
	else
		why_row__add_text(row, &why->text);
}

/* Returns NULL if this kernel or user cannot watch kernel functions. */
static struct why_watch *watch(struct why *why)
{
	struct strbuf reason = STRBUF_INIT;
	int err = 0;

	if (!why->tried_to_watch)
		err = why_watch__new(&why->watch, &reason);
	why->tried_to_watch = true;
	if (err)
		log__print(privileges__allow_events() ? LOG_WARNING : LOG_INFO,
			   "it is not known which kernel function refuses: %s",
			   reason__text(&reason, err));
	strbuf__free(&reason);
	return why->watch;
}

/* The texts of a row. */
struct texts {
	struct strbuf where, cause, remedy;
	struct strbuf fixes[WHY_FIXES_MAX];
};

static void texts__init(struct texts *texts)
{
	struct strbuf *all = (struct strbuf *)texts;

	for (size_t i = 0; i < sizeof(*texts) / sizeof(*all); i++)
		all[i] = (struct strbuf)STRBUF_INIT;
}

static void texts__free(struct texts *texts)
{
	struct strbuf *all = (struct strbuf *)texts;

	for (size_t i = 0; i < sizeof(*texts) / sizeof(*all); i++)
		strbuf__free(&all[i]);
}

static const char *text_or_null(const struct strbuf *sb)
{
	return sb->len ? sb->text : NULL;
}

/* Implements the member of struct why_events_to. */
static void refused(void *ctx, const struct why_event *event)
{
	struct why *why = ctx;
	struct seen *seen;

	why->refused = true;
	if (!watch(why))
		return;
	seen = reallocarray(why->seen, (size_t)why->nr_seen + 1, sizeof(*seen));
	if (!seen)
		return;
	why->seen = seen;
	seen += why->nr_seen++;
	seen->event = event;
	seen->seen = WHY_SEEN_INIT;
	why_watch__see(why->watch, &event->trial, event->answer.err, &seen->seen);
}

static void forget_seen(struct why *why)
{
	for (int i = 0; i < why->nr_seen; i++)
		why_seen__free(&why->seen[i].seen);
	why->nr_seen = 0;
}

static void fill_seen(const struct why *why, const struct why_event *event, struct why_row *row)
{
	/* the latest one: the events of the groups before had the same addresses */
	for (int i = why->nr_seen - 1; i >= 0; i--) {
		if (why->seen[i].event != event)
			continue;
		row->function = why->seen[i].seen.function;
		row->callers = text_or_null(&why->seen[i].seen.callers);
		row->asked = text_or_null(&why->seen[i].seen.asked);
		return;
	}
}

static void fill_refused(const struct why *why, const struct why_event *event, struct texts *texts,
			 struct why_row *row)
{
	const struct why_answer *answer = &event->answer;

	for (int i = 0; i < answer->nr_fixes; i++) {
		add_fix(&answer->changes, &answer->fixes[i], &texts->fixes[i]);
		row->fixes[i].words = texts->fixes[i].text;
	}
	row->nr_fixes = answer->nr_fixes;
	fill_seen(why, event, row);
	add_where(&event->trial.at, &texts->where);
	why_remedy__add(answer, &event->trial, row->function, &texts->cause, &texts->remedy);
	row->error = why_errno__name(answer->err) ?: strerror(-answer->err);
	row->where = texts->where.text;
	row->cause = text_or_null(&texts->cause);
	row->remedy = text_or_null(&texts->remedy);
}

/* Implements the member of struct why_events_to. */
static int found(void *ctx, const struct why_event *event)
{
	struct why_row row = { .name = event->evsel->name,
			       .opens = !event->answer.err,
			       .user_only = event->user_only };
	struct texts texts;
	struct why *why = ctx;

	texts__init(&texts);
	if (event->answer.err)
		fill_refused(why, event, &texts, &row);
	write_row(why, &row);
	texts__free(&texts);
	return 0;
}

/* Implements why_bpf_fn. */
static void found_bpf(void *ctx, const struct why_bpf_row *row)
{
	struct why *why = ctx;

	why->refused |= !row->works;
	if (why->json)
		row_writer__row(&why->writer, why_bpf_columns, row);
	else
		why_bpf_row__add_text(row, &why->text);
}

static int print(const struct why *why)
{
	if (strbuf__failed(&why->text))
		return command__out_of_memory();
	if (fputs(why->text.text, stdout) >= 0 && !fflush(stdout))
		return 0;
	pr_err("cannot write the reasons: %s", strerror(errno));
	return EXIT_FAILED;
}

static int run(const struct stat_options *options)
{
	struct strbuf reason = STRBUF_INIT;
	struct why why = {
		.json = options->json,
		.text = STRBUF_INIT,
		.writer = {
			.format = &row_json,
			.is_array = true,
			.text = &why.text,
			.lines = STRBUF_INIT,
		},
	};
	const struct why_events_to to = { .ctx = &why, .refused = refused, .found = found };
	int err, code;

	if (why.json)
		row_writer__begin(&why.writer, why_row_columns);
	err = why_events__each(options->evlist, &options->count, &to, &reason);
	err = err ?: why_bpf__each(options, found_bpf, &why, &reason);
	if (why.json)
		row_writer__end(&why.writer);
	if (err == -ENOMEM)
		log__out_of_memory();
	else if (err)
		pr_err("%s", reason.text);
	code = err ? EXIT_FAILED : print(&why);
	forget_seen(&why);
	free(why.seen);
	why_watch__free(why.watch);
	strbuf__free(&reason);
	strbuf__free(&why.text);
	return code ?: why.refused ? EXIT_FAILED : 0;
}

static bool asks_for_help(int argc, char **argv)
{
	return argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
			     !strcmp(argv[1], "--usage"));
}

int cmd_why(int argc, char **argv)
{
	struct stat_options options;
	int code;

	if (asks_for_help(argc, argv))
		return command__parse(&help_words, "pstat why", argc, argv, NULL);
	command__set_locale();
	argv[0] = (char *)"pstat";
	code = stat_options__parse(argc, argv, false, &options);
	if (!code && options.show_version) {
		version__print(options.verbose);
	} else if (!code) {
		bpf_util__init();
		code = run(&options);
	}
	stat_options__free(&options);
	return code;
}
