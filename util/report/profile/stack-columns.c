// SPDX-License-Identifier: GPL-2.0-only
/* Columns of functions and stacks. */
#include <inttypes.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/count/measurement.h"
#include "util/count/profile/profile-stacks.h"
#include "util/count/profile/profile.h"
#include "util/machine/symbols/mapped-objects.h"
#include "util/machine/symbols/object.h"
#include "util/report/profile/profile-report.h"

/* ---- columns of functions ---- */

#define LEAST_TOTAL 5.0 /* in percent */

bool symbol_row__is_in_tables(const void *row)
{
	const struct profile_sums *sums = row;

	return sums->self.samples || sums->total_share >= LEAST_TOTAL;
}

static void add_short_object(const void *row, struct strbuf *sb)
{
	strbuf__adds(sb, code_name__short_object(&((const struct symbol_row *)row)->name));
}

static void add_function(const void *row, struct strbuf *sb)
{
	strbuf__adds(sb, ((const struct symbol_row *)row)->name.function ?: "[unknown]");
}

static bool has_file(const void *row)
{
	return ((const struct symbol_row *)row)->name.file;
}

static void add_line(const void *row, struct strbuf *sb)
{
	const struct code_name *name = &((const struct symbol_row *)row)->name;

	strbuf__addf(sb, "%s:%d", profile_base_name(name->file), name->line);
}

#define SYMBOL(outputs, key, member, ...) \
	COLUMN(outputs, key, struct symbol_row, name.member, __VA_ARGS__)
#define SUMS(key, member) COLUMN(IN_TABLE, key, struct profile_sums, member, .width = 8)
#define SYMBOL_COLUMNS                                                                    \
	PROFILE_KIND_COLUMNS("symbol"), PROFILE_SELF_COLUMNS, PROFILE_TOTAL_COLUMNS,      \
		SYMBOL(IN_DATA, "object", object), SYMBOL(IN_DATA, "function", function), \
		SYMBOL(IN_CSV, NULL, file), SYMBOL(IN_CSV, NULL, line),                   \
		SYMBOL(IN_JSON, "file", file, .has = has_file),                           \
		SYMBOL(IN_JSON, "line", line, .has = has_file), SUMS("share", share),     \
		SUMS("samples", self.samples), SUMS("total", total_share),                \
		COLUMN_BY(IN_TABLE, "object", COLUMN_MADE, .add = add_short_object),      \
		COLUMN_BY(IN_TABLE, "function", COLUMN_MADE, .add = add_function)

const struct column symbol_columns[] = { SYMBOL_COLUMNS, { 0 } };
const struct column symbol_line_columns[] = {
	SYMBOL_COLUMNS,
	COLUMN_BY(IN_TABLE, "line", COLUMN_MADE, .has = has_file, .add = add_line),
	{ 0 },
};

/* ---- columns of stacks ---- */

/*
 * Adds @name with colons instead of semicolons, which separate frames, and '?' instead of an empty
 * name. Spaces are allowed, because readers look for the number after the last space.
 */
static void add_name(struct strbuf *sb, const char *name)
{
	if (!*name)
		strbuf__addc(sb, '?');
	while (*name) {
		size_t len = strcspn(name, ";");

		strbuf__add_clean_part(sb, name, len);
		name += len;
		if (*name) {
			strbuf__addc(sb, ':');
			name++;
		}
	}
}

static void add_frame(const struct code_name *name, struct strbuf *sb)
{
	const char *object = code_name__short_object(name);

	if (name->function)
		add_name(sb, name->function);
	else if (*object == '[')
		add_name(sb, object); /* [vdso], [unknown] */
	else {
		strbuf__addc(sb, '[');
		add_name(sb, object);
		strbuf__addc(sb, ']');
	}
	if (!name->file)
		return;
	strbuf__addc(sb, ' ');
	add_name(sb, profile_base_name(name->file));
	strbuf__addf(sb, ":%d", name->line);
}

static void add_frames(const void *row, struct strbuf *sb)
{
	const struct stack_row *stack = row;

	for (int i = 0; i < stack->nr; i++) {
		strbuf__adds(sb, i ? ";" : "");
		add_frame(&stack->names[i], sb);
	}
}

static void add_stack(const void *row, struct strbuf *sb)
{
	const struct stack_row *stack = row;

	add_name(sb, stack->comm);
	strbuf__adds(sb, stack->nr ? ";" : "");
	add_frames(row, sb);
}

static const void *nth_name(const void *row, int nr)
{
	const struct stack_row *stack = row;

	return nr < stack->nr ? &stack->names[nr] : NULL;
}

static bool frame_has_file(const void *frame)
{
	return ((const struct code_name *)frame)->file;
}

static const struct column frame_columns[] = {
	COLUMN(IN_JSON, "object", struct code_name, object),
	COLUMN(IN_JSON, "function", struct code_name, function),
	COLUMN(IN_JSON, "file", struct code_name, file, .has = frame_has_file),
	COLUMN(IN_JSON, "line", struct code_name, line, .has = frame_has_file),
	{ 0 },
};

#define STACK(outputs, key, member) COLUMN(outputs, key, struct stack_row, member)

const struct column stack_columns[] = {
	PROFILE_KIND_COLUMNS("stack"),
	COLUMN_BY(IN_FOLDED, NULL, COLUMN_MADE, .add = add_stack),
	STACK(IN_DATA | IN_FOLDED, "samples", sum.samples),
	STACK(IN_DATA, "weight", sum.weight),
	STACK(IN_DATA, "pid", pid),
	COLUMN_BY(IN_DATA, "comm", COLUMN_CHARS, COLUMN_AT(struct stack_row, comm)),
	COLUMN_BY(IN_CSV, NULL, COLUMN_MADE, .add = add_frames),
	COLUMN_BY(IN_JSON, "frames", COLUMN_LIST, .item = nth_name, .items = frame_columns),
	{ 0 },
};

/* ---- columns of losses ---- */

#define MOST_OBJECTS 5 /* maximum number of objects without symbols that are named */

/* Returns why no code of the file @name has a name, or NULL if the file can be read. */
static const char *why_unnamed(const struct profile *profile, const char *name)
{
	const struct mapped_objects *objects = profile_stacks__objects(profile->stacks);

	for (size_t i = 0; i < mapped_objects__nr(objects); i++) {
		const struct object *object = mapped_objects__get(objects, i);

		if (!strcmp(object__name(object), name) && object__why_no_symbols(object))
			return object__why_no_symbols(object);
	}
	return NULL;
}

static void add_unnamed(const void *row, struct strbuf *sb)
{
	const struct profile_totals *losses = row;
	const struct profile_report *report = losses->report;
	int named = 0;

	if (losses->unnamed)
		strbuf__addf(sb, "# %" PRIu64 " samples are in code whose function is unknown:\n",
			     losses->unnamed);
	for (int i = 0; losses->unnamed && i < report->nr_symbols && named < MOST_OBJECTS; i++) {
		const struct symbol_row *symbol = &report->symbols[i];
		const char *why;

		if (symbol->sums.event.nr != losses->event.nr || symbol->name.function ||
		    !symbol->sums.self.samples)
			continue;
		why = why_unnamed(report->measurement->profile, symbol->name.object);
		strbuf__addf(sb, "#   %" PRIu64 " ", symbol->sums.self.samples);
		strbuf__add_clean(sb, symbol->name.object);
		strbuf__adds(sb, why ? ": " : "");
		strbuf__add_clean(sb, why ?: "");
		strbuf__addc(sb, '\n');
		named++;
	}
}

static void add_cut(const void *row, struct strbuf *sb)
{
	const struct profile_totals *losses = row;
	const struct profile_stacks *stacks = losses->report->measurement->profile->stacks;

	if (!losses->cut)
		return;
	strbuf__addf(sb,
		     "# %" PRIu64 " samples have stacks of more than %" PRIu32
		     " frames: the outermost are cut off",
		     losses->cut, profile_stacks__depth(stacks));
	if (profile_stacks__is_limited(stacks))
		strbuf__adds(sb, " (sysctl kernel.perf_event_max_stack)");
	strbuf__addc(sb, '\n');
}

#define LOSS(key, member) COLUMN(IN_DATA, key, struct profile_totals, member)
#define REMARK(member, text) COLUMN_REMARK_OF(struct profile_totals, member, text)

const struct column profile_losses_columns[] = {
	PROFILE_KIND_COLUMNS("stacks"),
	LOSS("collided", collided),
	LOSS("no-room", no_stack_room),
	LOSS("failed", failed),
	LOSS("cut", cut),
	LOSS("unnamed", unnamed),
	LOSS("lost-mappings", lost_mappings),
	REMARK(collided, "stacks are lost: other stacks have taken their places in the map "
			 "(--stack-map-size)"),
	REMARK(no_stack_room, "stacks are lost: the map is full (--stack-map-size)"),
	REMARK(failed, "stacks are lost: the kernel could not walk them"),
	COLUMN_REMARK_BY(add_cut),
	REMARK(lost_mappings, "records of new mappings were lost: functions of programs started "
			      "then may be unknown"),
	COLUMN_REMARK_BY(add_unnamed),
	{ 0 },
};
