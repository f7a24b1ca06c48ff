// SPDX-License-Identifier: GPL-2.0-only
/* The table for people: comments begin with #, the rows of each event have a heading of their own. */
#include "builtin/profile/profile-print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-rows.h"
#include "builtin/profile/profile-view.h"
#include "util/base/clock.h"
#include "util/base/strbuf.h"
#include "util/base/table.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_where(struct strbuf *sb, const struct profile_row *row)
{
	strbuf__addf(sb, "%" PRIu32 " ", row->prog_id);
	strbuf__add_clean(sb, row->prog_name);
	strbuf__addc(sb, '\t');
	strbuf__add_clean(sb, row->func);
	strbuf__addc(sb, '\t');
	if (row->line) {
		strbuf__add_clean(sb, base_name(row->file));
		strbuf__addf(sb, ":%" PRIu32, row->line);
	} else {
		strbuf__addc(sb, '-');
	}
}

void profile_print__sums(double total_share, const struct sample_sum *total, double share,
			 const struct sample_sum *self, struct strbuf *sb)
{
	strbuf__addf(sb, "%7.2f%%  %8" PRIu64 "  %7.2f%%  %8" PRIu64 "  ", total_share, total->samples, share,
		     self->samples);
}

static void add_rows(const struct profile_view *view, int event, struct strbuf *sb)
{
	struct strbuf lines = STRBUF_INIT;

	if (view->stacks)
		profile_stacks_print__symbols(view, event, &lines);
	else
		strbuf__addf(&lines, "%8s  %8s  %8s  %8s  program\tfunction\tline\n", "total", "samples", "self",
			     "samples");
	for (int i = 0; i < view->rows->nr; i++) {
		const struct profile_row *row = &view->rows->rows[i];

		if (row->event != event)
			continue;
		profile_print__sums(row->total_share, &row->total, row->share, &row->self, &lines);
		add_where(&lines, row);
		strbuf__addc(&lines, '\n');
	}
	table__align(sb, lines.text, 0);
	sb->failed |= strbuf__failed(&lines);
	strbuf__free(&lines);
}

static void add_losses(const struct profile_totals *totals, struct strbuf *sb)
{
	if (totals->no_room)
		strbuf__addf(sb, "# %" PRIu64 " samples are not shown: the map is full (--map-size)\n",
			     totals->no_room);
	if (totals->busy)
		strbuf__addf(sb, "# %" PRIu64 " samples are not shown: they came while the map was being changed\n",
			     totals->busy);
	if (totals->no_stack)
		strbuf__addf(sb, "# %" PRIu64 " samples are not shown: the kernel could not walk their stacks\n",
			     totals->no_stack);
	if (totals->missed)
		strbuf__addf(sb,
			     "# about %" PRIu64 " samples were not taken: throttling, a late timer, or BPF programs "
			     "that the kernel does not sample\n",
			     totals->missed);
	if (totals->running < totals->enabled)
		strbuf__addf(sb, "# the event had a counter for %.2f%% of the time\n",
			     100.0 * (double)totals->running / (double)totals->enabled);
}

static void add_head(const struct profile_view *view, int event, struct strbuf *sb)
{
	const struct sampling *sampling = &view->options->sampling;
	const struct profile_totals *totals = &view->rows->totals[event];
	uint64_t inside = totals->samples - totals->elsewhere - totals->no_stack;

	strbuf__addc(sb, '#');
	if (view->is_interval)
		strbuf__addf(sb, " %" PRIu64 ".%09" PRIu64 " s:", (uint64_t)(view->time_ns / NSEC_PER_SEC),
			     (uint64_t)(view->time_ns % NSEC_PER_SEC));
	strbuf__addc(sb, ' ');
	strbuf__add_clean(sb, view->options->stat.evlist->entries[event]->name);
	if (sampling->period)
		strbuf__addf(sb, ", each %" PRIu64 ": ", sampling->period);
	else
		strbuf__addf(sb, ", %" PRIu64 " times a second: ", sampling->freq);
	if (sampling->progs)
		strbuf__addf(sb,
			     "%" PRIu64 " of %" PRIu64 " samples in the programs and what they call (%.2f%%), %" PRIu64
			     " in their own code\n",
			     inside, totals->samples,
			     totals->samples ? 100.0 * (double)inside / (double)totals->samples : 0, totals->self);
	else
		strbuf__addf(sb, "%" PRIu64 " samples\n", totals->samples);
	add_losses(totals, sb);
	if (view->stacks)
		profile_stacks_print__losses(view, event, sb);
}

void profile_print__table(const struct profile_view *view, struct strbuf *sb)
{
	for (int event = 0; event < view->rows->nr_events; event++) {
		add_head(view, event, sb);
		add_rows(view, event, sb);
		strbuf__addc(sb, '\n');
		profile_annotate__add(view, event, sb);
	}
}
