// SPDX-License-Identifier: GPL-2.0-only
#include "builtin/why/why-run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-options.h"
#include "builtin/why/why-bpf.h"
#include "builtin/why/why-row.h"
#include "util/base/log.h"
#include "util/base/privileges.h"
#include "util/base/reason.h"
#include "util/base/strbuf.h"
#include "util/count/profile/profile.h"
#include "util/count/why/why-events.h"
#include "util/count/why/why-remedy.h"
#include "util/count/why/why-watch.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/machine/cpu/cpumap.h"
#include "util/output/row-writer.h"
#include "util/report/branch-names.h"

struct why {
	const struct evlist *evlist;
	bool json;
	bool refused; /* see the parameter @refused of why_run() */
	bool tried_to_watch;
	struct why_watch *watch;	   /* NULL: not created yet, or unavailable */
	struct branch_names *branch_names; /* NULL until a row has branches */
	int nr_seen;
	struct seen {
		const struct why_event *event;
		struct why_seen seen;
	} * seen; /* what `watch` found out about each refused event */
	struct strbuf *text;
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
		why_row__add_text(row, why->text);
}

/*
 * Returns why->watch, which finds the kernel functions that refuse events. The first call tries to
 * create it. Returns NULL if it could not be created.
 */
static struct why_watch *watch(struct why *why, const struct why_trial *trial)
{
	struct strbuf reason = STRBUF_INIT;
	int err = 0;

	if (!why->tried_to_watch)
		err = why_watch__new(trial->attr.attr.type, &why->watch, &reason);
	why->tried_to_watch = true;
	if (err)
		log__print(privileges__allow_bpf() ? LOG_WARNING : LOG_INFO,
			   "cannot find out which kernel function refuses the event: %s",
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

/* Implements why_events_to.refused: finds out which kernel function refused the event. */
static void refused_event(void *ctx, const struct why_event *event)
{
	struct why *why = ctx;
	struct seen *seen;

	why->refused = true;
	/* if pstat cannot open more files, it cannot watch kernel functions either */
	if (event->answer.scope == WHY_TOO_MANY_OPEN || !watch(why, &event->trial))
		return;
	seen = reallocarray(why->seen, (size_t)why->nr_seen + 1, sizeof(*seen));
	if (!seen)
		return;
	why->seen = seen;
	seen += why->nr_seen++;
	seen->event = event;
	seen->seen = WHY_SEEN_INIT;
	why_watch__see(why->watch, &event->trial, event->answer.err,
		       why_remedy__explains(&event->answer, &event->trial), &seen->seen);
}

static void forget_seen(struct why *why)
{
	for (int i = 0; i < why->nr_seen; i++)
		why_seen__free(&why->seen[i].seen);
	why->nr_seen = 0;
}

static void fill_branches(struct why *why, const struct why_seen *seen, struct why_row *row)
{
	if (!why->branch_names && seen->nr_branches)
		why->branch_names = branch_names__new();
	if (why->branch_names && seen->nr_branches &&
	    branch_rows__make(&row->branches, seen->branches, seen->nr_branches, why->branch_names,
			      0, 0))
		branch_rows__free(&row->branches);
}

static void fill_seen(struct why *why, const struct why_event *event, struct why_row *row)
{
	/* search backwards: a why_event of an earlier group may have had the same address */
	for (int i = why->nr_seen - 1; i >= 0; i--) {
		if (why->seen[i].event != event)
			continue;
		row->function = why->seen[i].seen.function;
		row->callers = text_or_null(&why->seen[i].seen.callers);
		row->asked = text_or_null(&why->seen[i].seen.asked);
		fill_branches(why, &why->seen[i].seen, row);
		return;
	}
}

static void fill_refused(struct why *why, const struct why_event *event, struct texts *texts,
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
	row->error = why_remedy__errno_name(answer->err) ?: strerror(-answer->err);
	row->where = texts->where.text;
	row->cause = text_or_null(&texts->cause);
	row->remedy = text_or_null(&texts->remedy);
}

/*
 * Fills in the answer for an event whose PMU cannot count on any CPU of -C. pstat does not open
 * this event, so there is no error from the kernel.
 */
static void fill_no_cpu(const struct evsel *evsel, struct texts *texts, struct why_row *row)
{
	strbuf__addf(&texts->cause, "the PMU%s%s has none of the CPUs of -C",
		     evsel->pmu_name ? " " : "", evsel->pmu_name ?: "");
	if (evsel->pmu_cpus) {
		strbuf__adds(&texts->remedy, "count CPUs of this PMU: ");
		cpumap__format(evsel->pmu_cpus, &texts->remedy);
	}
	row->cause = text_or_null(&texts->cause);
	row->remedy = text_or_null(&texts->remedy);
}

/*
 * If @evlist contains another event with the name of @evsel but a different PMU, as is usual on a
 * hybrid machine, returns the name of the PMU of @evsel. Otherwise, returns NULL.
 */
static const char *distinct_pmu(const struct evlist *evlist, const struct evsel *evsel)
{
	const struct evsel *other;

	evlist__for_each(evlist, other)
		if (other != evsel && other->pmu_name && evsel->pmu_name &&
		    strcmp(other->pmu_name, evsel->pmu_name) && !strcmp(other->name, evsel->name))
			return evsel->pmu_name;
	return NULL;
}

/* Implements why_events_to.found: writes the row of the event. */
static int found(void *ctx, const struct why_event *event)
{
	struct why_row row = { .name = event->evsel->name,
			       .opens = event->answer.scope == WHY_NOT_REFUSED,
			       .user_only = event->user_only };
	struct texts texts;
	struct why *why = ctx;

	row.pmu = distinct_pmu(why->evlist, event->evsel);
	why->refused |= !row.opens;
	texts__init(&texts);
	if (event->answer.scope == WHY_NO_CPU)
		fill_no_cpu(event->evsel, &texts, &row);
	else if (event->answer.err)
		fill_refused(why, event, &texts, &row);
	write_row(why, &row);
	branch_rows__free(&row.branches);
	texts__free(&texts);
	return 0;
}

/* Implements why_bpf_fn: writes @row. */
static void found_bpf(void *ctx, const struct why_bpf_row *row)
{
	struct why *why = ctx;

	why->refused |= !row->works;
	if (why->json)
		row_writer__row(&why->writer, why_bpf_columns, row);
	else
		why_bpf_row__add_text(row, why->text);
}

static bool is_precise(const struct evlist *evlist)
{
	const struct evsel *evsel;

	evlist__for_each(evlist, evsel)
		if (evsel->attr.attr.precise_ip)
			return true;
	return false;
}

int why_run(const struct stat_options *options, bool json, struct strbuf *text, bool *refused)
{
	struct strbuf reason = STRBUF_INIT;
	struct why why = {
		.evlist = options->evlist,
		.json = json,
		.text = text,
		.writer = {
			.format = &row_json,
			.is_array = true,
			.text = text,
			.lines = STRBUF_INIT,
		},
	};
	struct why_events_to to = { .ctx = &why, .refused = refused_event, .found = found };
	struct event_open_how sampling;
	int err;

	if (options->count.sampling) {
		sampling = profile__open_how(&options->count, is_precise(options->evlist));
		to.sampling = &sampling;
	}
	if (json)
		row_writer__begin(&why.writer, why_row_columns);
	err = why_events__each(options->evlist, &options->count, &to, &reason);
	err = err ?: why_bpf__each(options, found_bpf, &why, &reason);
	if (json)
		row_writer__end(&why.writer);
	if (!err && strbuf__failed(text))
		err = -ENOMEM;
	if (err == -ENOMEM)
		log__out_of_memory();
	else if (err)
		pr_err("%s", reason.text);
	*refused = why.refused;
	forget_seen(&why);
	free(why.seen);
	why_watch__free(why.watch);
	branch_names__free(why.branch_names);
	strbuf__free(&reason);
	return err;
}
