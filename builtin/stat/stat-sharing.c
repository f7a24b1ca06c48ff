// SPDX-License-Identifier: GPL-2.0-only
/* The line does not contain names of events, because scripts could mistake it for a row. */
#include "builtin/stat/stat-series.h"

#include <stdbool.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/counts.h"
#include "util/count/measurement.h"

static bool is_same(const struct counts *one, const struct counts *two)
{
	return !two->open_err && one->sharing == two->sharing &&
	       !strcmp(one->why_not_shared ?: "", two->why_not_shared ?: "");
}

static bool is_first(const struct measurement *m, int event)
{
	for (int i = 0; i < event; i++)
		if (is_same(m->events[event], m->events[i]))
			return false;
	return !m->events[event]->open_err;
}

static int count_same(const struct measurement *m, int first)
{
	int nr = 0;

	for (int i = first; i < m->nr; i++)
		nr += is_same(m->events[first], m->events[i]);
	return nr;
}

/* Adds the first line of the reason. The other lines give advice. */
static void add_reason(struct strbuf *text, const char *why)
{
	strbuf__addf(text, ": %.*s", (int)strcspn(why, "\n"), why);
}

void stat_sharing__describe(const struct measurement *m, struct strbuf *text)
{
	static const char *const words[] = {
		[SHARING_JOINED] = "shared (made by another session)",
		[SHARING_MADE] = "shared (made by this session)",
		[SHARING_FAILED] = "not shared",
	};

	for (enum counts_sharing sharing = SHARING_JOINED; sharing <= SHARING_FAILED; sharing++) {
		for (int i = 0; i < m->nr; i++) {
			const struct counts *counts = m->events[i];

			if (counts->sharing != sharing || !is_first(m, i))
				continue;
			strbuf__adds(text, text->len ? "; " : "counters read by BPF: ");
			strbuf__addf(text, "%d %s", count_same(m, i), words[sharing]);
			if (counts->why_not_shared)
				add_reason(text, counts->why_not_shared);
		}
	}
}
