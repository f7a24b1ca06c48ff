// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines that pstat prints below the rows: the reasons why events were not counted, and whether
 * the counters that BPF reads were shared with other sessions. Many scripts mistake any line with
 * an event's name for a row of counts. So messages about an event identify it by its number in the
 * order of the rows: with --for-each-cgroup, the events of the second cgroup come after all events
 * of the first one.
 */
#include "builtin/stat/stat-series.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "builtin/stat/stat-options.h"
#include "util/base/strbuf.h"
#include "util/count/counts.h"
#include "util/count/measurement.h"
#include "util/event/evsel.h"

/* ---- why events were not counted ---- */

/* In a text of open_error__explain(), this follows "EVENT" or "EVENT on CPU N". */
#define NOT_COUNTED_HERE ": cannot be counted here ("

/* The reason why an event was not opened. */
struct reason {
	const char *text; /* without the event's name at the beginning */
	bool named;	  /* the event's name was at the beginning */
};

static struct reason reason_of(const struct counts *counts)
{
	const char *why = counts->why_not ?: strerror(-counts->open_err);
	const char *name = counts->evsel->name;
	size_t len = strlen(name);
	bool named = !strncmp(why, name, len) && (why[len] == ':' || why[len] == ' ');

	return (struct reason){ .text = named ? why + len : why, .named = named };
}

/*
 * Returns whether the event has a reason of its own. An event that was refused only because of
 * another event in its group has none.
 */
static bool has_reason(const struct counts *counts)
{
	return counts->open_err && counts->open_err != -ECANCELED;
}

static bool is_same(const struct measurement *m, int one, int two)
{
	return has_reason(m->events[two]) &&
	       !strcmp(reason_of(m->events[one]).text, reason_of(m->events[two]).text);
}

static bool is_first(const struct measurement *m, int event)
{
	for (int i = 0; i < event; i++)
		if (is_same(m, event, i))
			return false;
	return has_reason(m->events[event]);
}

/*
 * Adds "the event", "event 2 of 5" or "events 2, 4, 5 of 5", for all events that have the same
 * reason as the event @first. @nr_rows is the number of events of all cgroups.
 */
static void add_which(struct strbuf *sb, const struct measurement *m, int first, int nr_rows)
{
	int nr = 0;

	for (int i = first; i < m->nr; i++)
		nr += is_same(m, first, i);
	if (nr_rows == 1) {
		strbuf__adds(sb, "the event");
		return;
	}
	strbuf__addf(sb, "event%s %d", nr > 1 ? "s" : "", first + 1);
	for (int i = first + 1; i < m->nr; i++)
		if (is_same(m, first, i))
			strbuf__addf(sb, ", %d", i + 1);
	strbuf__addf(sb, " of %d", nr_rows);
}

static void add_reason(struct strbuf *sb, const struct reason *reason, const char *which)
{
	const char *text = reason->text, *refused = strstr(text, NOT_COUNTED_HERE);

	if (refused)
		strbuf__addf(sb, "the kernel refused %s%.*s (%s", which, (int)(refused - text),
			     text, refused + strlen(NOT_COUNTED_HERE));
	else
		strbuf__addf(sb, reason->named ? "%s%s" : "%s: %s", which, text);
}

bool stat_reasons__exist(const struct measurement *m)
{
	for (int i = 0; i < m->nr; i++)
		if (has_reason(m->events[i]))
			return true;
	return false;
}

void stat_reasons__print(const struct stat_options *options, const struct measurement *m,
			 enum log_level level)
{
	int nr_cgroups = options->count.nr_each_cgroup ?: 1;
	bool some = false;

	for (int i = 0; i < m->nr; i++)
		some |= !m->events[i]->open_err;
	if (some && (options->verbose || options->as_perf))
		return;
	for (int i = 0; i < m->nr; i++) {
		struct strbuf which = STRBUF_INIT, text = STRBUF_INIT;
		struct reason reason;

		if (!is_first(m, i))
			continue;
		reason = reason_of(m->events[i]);
		add_which(&which, m, i, m->nr * nr_cgroups);
		add_reason(&text, &reason, which.text);
		log__print(level, "%s: %s", some ? "not counted" : "nothing could be counted",
			   text.text);
		strbuf__free(&which);
		strbuf__free(&text);
		if (!some)
			return;
	}
}

/* ---- shared counters ---- */

static bool is_shared_alike(const struct counts *one, const struct counts *two)
{
	return !two->open_err && one->sharing == two->sharing &&
	       !strcmp(one->why_not_shared ?: "", two->why_not_shared ?: "");
}

static bool is_first_shared(const struct measurement *m, int event)
{
	for (int i = 0; i < event; i++)
		if (is_shared_alike(m->events[event], m->events[i]))
			return false;
	return !m->events[event]->open_err;
}

static int count_shared_alike(const struct measurement *m, int first)
{
	int nr = 0;

	for (int i = first; i < m->nr; i++)
		nr += is_shared_alike(m->events[first], m->events[i]);
	return nr;
}

/* Adds the first line of the reason. Leaves out the other lines, which are advice. */
static void add_why_not_shared(struct strbuf *text, const char *why)
{
	strbuf__addf(text, ": %.*s", (int)strcspn(why, "\n"), why);
}

void stat_reasons__describe_sharing(const struct measurement *m, struct strbuf *text)
{
	static const char *const words[] = {
		[SHARING_JOINED] = "shared (made by another session)",
		[SHARING_MADE] = "shared (made by this session)",
		[SHARING_FAILED] = "not shared",
	};

	for (enum counts_sharing sharing = SHARING_JOINED; sharing <= SHARING_FAILED; sharing++) {
		for (int i = 0; i < m->nr; i++) {
			const struct counts *counts = m->events[i];

			if (counts->sharing != sharing || !is_first_shared(m, i))
				continue;
			strbuf__adds(text, text->len ? "; " : "counters read by BPF: ");
			strbuf__addf(text, "%d %s", count_shared_alike(m, i), words[sharing]);
			if (counts->why_not_shared)
				add_why_not_shared(text, counts->why_not_shared);
		}
	}
}
