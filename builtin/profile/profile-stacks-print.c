// SPDX-License-Identifier: GPL-2.0-only
/* The table of functions, and what is not known of stacks. */
#include "builtin/profile/profile-print.h"

#include <inttypes.h>
#include <string.h>

#include "builtin/profile/profile-options.h"
#include "builtin/profile/profile-stacks.h"
#include "builtin/profile/profile-view.h"
#include "util/base/strbuf.h"
#include "util/count/profile/profile-stacks.h"
#include "util/machine/mapped-objects.h"
#include "util/machine/object.h"

#define LEAST_TOTAL 5.0 /* percent */
#define MOST_OBJECTS 5	/* that are named for having no symbols */

/* Why no code of it has a name, if it is a file. */
static const char *why_unnamed(const struct profile_view *view, const char *name)
{
	const struct mapped_objects *objects = profile_stacks__objects(view->options->profile.stacks);

	for (size_t i = 0; i < mapped_objects__nr(objects); i++) {
		const struct object *object = mapped_objects__get(objects, i);

		if (!strcmp(object__name(object), name) && object__why_no_symbols(object))
			return object__why_no_symbols(object);
	}
	return NULL;
}

static void add_unnamed(const struct profile_view *view, int event, struct strbuf *sb)
{
	int named = 0;

	strbuf__addf(sb, "# %" PRIu64 " samples are in code whose function is not known:\n",
		     view->stacks->losses[event].unnamed);
	for (int i = 0; i < view->stacks->nr_symbols && named < MOST_OBJECTS; i++) {
		const struct symbol_row *row = &view->stacks->symbols[i];
		const char *why;

		if (row->event != event || row->name.function || !row->self.samples)
			continue;
		why = why_unnamed(view, row->name.object);
		strbuf__addf(sb, "#   %" PRIu64 " ", row->self.samples);
		strbuf__add_clean(sb, row->name.object);
		strbuf__adds(sb, why ? ": " : "");
		strbuf__add_clean(sb, why ?: "");
		strbuf__addc(sb, '\n');
		named++;
	}
}

void profile_stacks_print__losses(const struct profile_view *view, int event, struct strbuf *sb)
{
	const struct profile *profile = &view->options->profile;
	struct profile_event sum = view->is_interval ? profile__delta(profile, event) : profile->total[event];
	uint64_t lost = profile_stacks__lost_mappings(profile->stacks, view->is_interval);

	if (sum.stacks.collided)
		strbuf__addf(sb,
			     "# %" PRIu64 " stacks are lost: others have their places in the map (--stack-map-size)\n",
			     (uint64_t)sum.stacks.collided);
	if (sum.stacks.no_room)
		strbuf__addf(sb, "# %" PRIu64 " stacks are lost: the map is full (--stack-map-size)\n",
			     (uint64_t)sum.stacks.no_room);
	if (sum.stacks.failed)
		strbuf__addf(sb, "# %" PRIu64 " stacks are lost: the kernel could not walk them\n",
			     (uint64_t)sum.stacks.failed);
	if (view->stacks->losses[event].cut)
		strbuf__addf(sb,
			     "# %" PRIu64 " samples have stacks of more than %" PRIu32
			     " frames: the outermost are cut off%s\n",
			     view->stacks->losses[event].cut, profile_stacks__depth(profile->stacks),
			     profile_stacks__is_limited(profile->stacks) ? " (sysctl kernel.perf_event_max_stack)" :
									   "");
	if (lost)
		strbuf__addf(sb,
			     "# %" PRIu64
			     " messages of new mappings were lost: functions of programs that began then may not be "
			     "known\n",
			     lost);
	if (view->stacks->losses[event].unnamed)
		add_unnamed(view, event, sb);
}

/* Most functions only call others: of these the table has those that are much of the whole. Fields and JSON have all. */
static bool is_worth_a_line(const struct symbol_row *row)
{
	return row->self.samples || row->total_share >= LEAST_TOTAL;
}

static void add_line(const struct symbol_row *row, bool lines, struct strbuf *sb)
{
	const char *file = row->name.file, *slash = file ? strrchr(file, '/') : NULL;

	strbuf__addf(sb, "%7.2f%%  %8" PRIu64 "  %7.2f%%  ", row->share, row->self.samples, row->total_share);
	strbuf__add_clean(sb, code_name__short_object(&row->name));
	strbuf__addc(sb, '\t');
	strbuf__add_clean(sb, row->name.function ?: "[unknown]");
	if (lines && file) {
		strbuf__addc(sb, '\t');
		strbuf__add_clean(sb, slash ? slash + 1 : file);
		strbuf__addf(sb, ":%d", row->name.line);
	} else if (lines) {
		strbuf__adds(sb, "\t-");
	}
	strbuf__addc(sb, '\n');
}

void profile_stacks_print__symbols(const struct profile_view *view, int event, struct strbuf *sb)
{
	bool lines = view->options->lines;

	strbuf__addf(sb, "%8s  %8s  %8s  object\tfunction%s\n", "share", "samples", "total", lines ? "\tline" : "");
	for (int i = 0; i < view->stacks->nr_symbols; i++) {
		const struct symbol_row *row = &view->stacks->symbols[i];

		if (row->event == event && is_worth_a_line(row))
			add_line(row, lines, sb);
	}
}
