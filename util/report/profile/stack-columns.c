// SPDX-License-Identifier: GPL-2.0-only
/* Columns of functions, stacks, and losses of stacks. */
#include <inttypes.h>
#include <stdlib.h>
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

/* Follows the name of an inlined function, as in perf report. Not used in JSON. */
#define INLINED " (inlined)"

bool symbol_row__is_in_tables(const void *row)
{
	const struct profile_sums *sums = row;

	return sums->self.samples || sums->total_share >= LEAST_TOTAL;
}

static void add_short_object(const void *row, struct strbuf *sb)
{
	strbuf__adds(sb, code_name__short_object(&((const struct symbol_row *)row)->name));
}

/* Adds FILE+0xADDRESS. If the address is unknown, adds only the file. */
static void add_place(struct strbuf *sb, const struct code_name *name)
{
	strbuf__adds(sb, code_name__short_object(name));
	if (name->has_address)
		strbuf__addf(sb, "+0x%" PRIx64, name->address);
}

static void add_function(const void *row, struct strbuf *sb)
{
	const struct code_name *name = &((const struct symbol_row *)row)->name;

	if (name->function || !name->has_address)
		strbuf__adds(sb, name->function ?: "[unknown]");
	else
		add_place(sb, name);
	strbuf__adds(sb, name->is_inlined ? INLINED : "");
}

static bool is_inlined(const void *row)
{
	return ((const struct symbol_row *)row)->name.is_inlined;
}

/*
 * In JSON, only the rows of inlined functions have the member "inlined". In CSV, all rows must have
 * the same number of fields, so "(inlined)" is added to the name instead.
 */
static void add_csv_function(const void *row, struct strbuf *sb)
{
	const struct code_name *name = &((const struct symbol_row *)row)->name;

	strbuf__addf(sb, "%s%s", name->function ?: "", name->is_inlined ? INLINED : "");
}

static bool frame_has_address(const void *frame)
{
	return ((const struct code_name *)frame)->has_address;
}

static void add_frame_address(const void *frame, struct strbuf *sb)
{
	if (frame_has_address(frame))
		strbuf__addf(sb, "0x%" PRIx64, ((const struct code_name *)frame)->address);
}

static bool has_address(const void *row)
{
	return frame_has_address(&((const struct symbol_row *)row)->name);
}

static void add_address(const void *row, struct strbuf *sb)
{
	add_frame_address(&((const struct symbol_row *)row)->name, sb);
}

static bool has_file(const void *row)
{
	return ((const struct symbol_row *)row)->name.file;
}

static void add_line(const void *row, struct strbuf *sb)
{
	const struct code_name *name = &((const struct symbol_row *)row)->name;

	strbuf__addf(sb, "%s:%d", profile_report__base_name(name->file), name->line);
}

#define SYMBOL(outputs, key, member, ...) \
	COLUMN(outputs, key, struct symbol_row, name.member, __VA_ARGS__)
#define SUMS(key, member) COLUMN(IN_TABLE, key, struct profile_sums, member, .width = 8)
#define SYMBOL_COLUMNS                                                                           \
	PROFILE_KIND_COLUMNS("symbol"), PROFILE_SELF_COLUMNS, PROFILE_TOTAL_COLUMNS,             \
		SYMBOL(IN_DATA, "object", object), SYMBOL(IN_JSON, "function", function),        \
		COLUMN_BY(IN_CSV, NULL, COLUMN_MADE, .add = add_csv_function),                   \
		SYMBOL(IN_CSV, NULL, file), SYMBOL(IN_CSV, NULL, line),                          \
		SYMBOL(IN_JSON, "file", file, .has = has_file),                                  \
		SYMBOL(IN_JSON, "line", line, .has = has_file),                                  \
		COLUMN_BY(IN_CSV, NULL, COLUMN_MADE, .add = add_address),                        \
		COLUMN_BY(IN_JSON, "address", COLUMN_MADE, .has = has_address,                   \
			  .add = add_address),                                                   \
		SYMBOL(IN_JSON, "inlined", is_inlined, .has = is_inlined), SUMS("share", share), \
		SUMS("samples", self.samples), SUMS("total", total_share),                       \
		COLUMN_BY(IN_TABLE, "object", COLUMN_MADE, .add = add_short_object),             \
		COLUMN_BY(IN_TABLE, "function", COLUMN_MADE, .add = add_function)

const struct column symbol_columns[] = { SYMBOL_COLUMNS, { 0 } };
const struct column symbol_line_columns[] = {
	SYMBOL_COLUMNS,
	COLUMN_BY(IN_TABLE, "line", COLUMN_MADE, .has = has_file, .add = add_line),
	{ 0 },
};

/* ---- columns of stacks ---- */

/*
 * Adds @name to a folded stack. Replaces semicolons with colons, because semicolons separate
 * frames. Adds '?' if the name is empty. Keeps spaces: they do no harm, because programs that read
 * this format look for the number of samples only after the last space of the line.
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

/*
 * Adds "[FILE+0xADDRESS]" or, if the address is unknown, "[FILE]". If the name of the file already
 * has brackets, as in "[anon]", adds no second pair: "[anon+0xADDRESS]".
 */
static void add_unknown(struct strbuf *sb, const struct code_name *name)
{
	const char *object = code_name__short_object(name);
	size_t len = strlen(object);
	bool has_brackets = len > 2 && *object == '[' && object[len - 1] == ']';
	char *inner = has_brackets ? strndup(object + 1, len - 2) : strdup(object);

	strbuf__addc(sb, '[');
	add_name(sb, inner ?: object);
	if (name->has_address)
		strbuf__addf(sb, "+0x%" PRIx64, name->address);
	strbuf__addc(sb, ']');
	free(inner);
}

static void add_frame(const struct code_name *name, struct strbuf *sb)
{
	if (name->function)
		add_name(sb, name->function);
	else
		add_unknown(sb, name);
	strbuf__adds(sb, name->is_inlined ? INLINED : "");
	if (!name->file)
		return;
	strbuf__addc(sb, ' ');
	add_name(sb, profile_report__base_name(name->file));
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

static bool frame_is_inlined(const void *frame)
{
	return ((const struct code_name *)frame)->is_inlined;
}

static const struct column frame_columns[] = {
	COLUMN(IN_JSON, "object", struct code_name, object),
	COLUMN(IN_JSON, "function", struct code_name, function),
	COLUMN(IN_JSON, "file", struct code_name, file, .has = frame_has_file),
	COLUMN(IN_JSON, "line", struct code_name, line, .has = frame_has_file),
	COLUMN_BY(IN_JSON, "address", COLUMN_MADE, .has = frame_has_address,
		  .add = add_frame_address),
	COLUMN(IN_JSON, "inlined", struct code_name, is_inlined, .has = frame_is_inlined),
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

#define MOST_OBJECTS 5 /* maximum number of listed objects (mapped files) */

/*
 * Returns the reason why no functions of the object @name are known, or NULL if there is no such
 * reason.
 */
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

/* The number of samples of an event in the unknown functions of an object. */
struct unnamed {
	const char *object;
	uint64_t samples;
};

static int by_object(const void *left, const void *right)
{
	const struct unnamed *a = left, *b = right;

	return strcmp(a->object, b->object);
}

static int by_samples(const void *left, const void *right)
{
	const struct unnamed *a = left, *b = right;

	return a->samples != b->samples ? (a->samples < b->samples ? 1 : -1) : by_object(a, b);
}

/*
 * Fills @unnamed with the objects that contain samples of the event in unknown functions. The
 * object with the most such samples comes first. @unnamed must have room for all symbols of the
 * report. Returns the number of objects.
 */
static int sum_unnamed(const struct profile_totals *losses, struct unnamed *unnamed)
{
	const struct profile_report *report = losses->report;
	int nr = 0, kept = 0;

	for (int i = 0; i < report->nr_symbols; i++) {
		const struct symbol_row *symbol = &report->symbols[i];

		if (symbol->sums.event.nr == losses->event.nr && !symbol->name.function &&
		    symbol->sums.self.samples)
			unnamed[nr++] = (struct unnamed){ .object = symbol->name.object,
							  .samples = symbol->sums.self.samples };
	}
	qsort(unnamed, (size_t)nr, sizeof(*unnamed), by_object);
	for (int i = 0; i < nr; i++) {
		if (kept && !by_object(&unnamed[kept - 1], &unnamed[i]))
			unnamed[kept - 1].samples += unnamed[i].samples;
		else
			unnamed[kept++] = unnamed[i];
	}
	qsort(unnamed, (size_t)kept, sizeof(*unnamed), by_samples);
	return kept;
}

static void add_unnamed(const void *row, struct strbuf *sb)
{
	const struct profile_totals *losses = row;
	const struct profile_report *report = losses->report;
	struct unnamed *unnamed = calloc((size_t)report->nr_symbols + 1, sizeof(*unnamed));
	int nr = unnamed ? sum_unnamed(losses, unnamed) : 0;

	if (losses->unnamed)
		strbuf__addf(sb, "# %" PRIu64 " samples are in code whose function is unknown:\n",
			     losses->unnamed);
	for (int i = 0; losses->unnamed && i < nr && i < MOST_OBJECTS; i++) {
		const char *why = why_unnamed(report->measurement->profile, unnamed[i].object);

		strbuf__addf(sb, "#   %" PRIu64 " ", unnamed[i].samples);
		strbuf__add_clean(sb, unnamed[i].object);
		strbuf__adds(sb, why ? ": " : "");
		strbuf__add_clean(sb, why ?: "");
		strbuf__addc(sb, '\n');
	}
	free(unnamed);
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
	REMARK(collided, "stacks are lost: other stacks occupy their slots in the map "
			 "(--stack-map-size)"),
	REMARK(no_stack_room, "stacks are lost: the map is full (--stack-map-size)"),
	REMARK(failed, "stacks are lost: the kernel could not walk them"),
	COLUMN_REMARK_BY(add_cut),
	REMARK(lost_mappings, "records of new mappings were lost: functions of programs started "
			      "then may be unknown"),
	COLUMN_REMARK_BY(add_unnamed),
	{ 0 },
};
