// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/dwarf-inline.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/machine/symbols/dwarf-units.h"

#define MOST_DEPTH 1000	 /* limits recursion, so that malicious data cannot overflow the stack */
#define LOOK_AT_CLOCK 64 /* number of DWARF entries and ranges between two checks of the clock */
#define NONE (-1)

struct dwarf_inline {
	struct function {
		Dwarf_Die die;
		int outer; /* index of the inlined function that contains this one, or NONE */
	} * functions;
	struct change {
		Dwarf_Addr at;
		/* index of the innermost inlined function from this address on, or NONE */
		int function;
	} * changes; /* sorted by address */
	size_t nr_functions, nr_changes;
};

/* A range of addresses of an inlined function. */
struct range {
	Dwarf_Addr start, end;
	int function, depth;
};

struct reader {
	const struct libdw *dw;
	struct dwarf_inline *to;
	struct dwarf_inline_used *used;
	struct range *ranges;
	size_t nr_ranges, ranges_room, functions_room, nr_seen;
	uint64_t begun_ns; /* CPU time */
	bool failed;	   /* out of memory */
};

void dwarf_inline__free(struct dwarf_inline *inlined)
{
	if (!inlined)
		return;
	free(inlined->functions);
	free(inlined->changes);
	free(inlined);
}

/* ---- reading a unit ---- */

static uint64_t cpu_time(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static bool is_over(struct reader *r)
{
	struct dwarf_inline_used *used = r->used;

	if (++r->nr_seen % LOOK_AT_CLOCK == 0 &&
	    used->ns + cpu_time() - r->begun_ns > DWARF_INLINE_CPU_SECONDS * NSEC_PER_SEC)
		used->is_over = true;
	if (used->nr >= DWARF_INLINE_MOST)
		used->is_over = true;
	return used->is_over || r->failed;
}

/* Returns the index of the new function, or NONE if memory ran out. */
static int add_function(struct reader *r, const Dwarf_Die *die, int outer)
{
	struct dwarf_inline *to = r->to;

	if (to->nr_functions == r->functions_room) {
		size_t room = r->functions_room ? 2 * r->functions_room : 64;
		struct function *bigger = realloc(to->functions, room * sizeof(*bigger));

		r->failed |= !bigger;
		if (!bigger)
			return NONE;
		to->functions = bigger;
		r->functions_room = room;
	}
	to->functions[to->nr_functions] = (struct function){ .die = *die, .outer = outer };
	r->used->nr++;
	return (int)to->nr_functions++;
}

static void add_range(struct reader *r, const struct range *range)
{
	if (r->nr_ranges == r->ranges_room) {
		size_t room = r->ranges_room ? 2 * r->ranges_room : 64;
		struct range *bigger = realloc(r->ranges, room * sizeof(*bigger));

		r->failed |= !bigger;
		if (!bigger)
			return;
		r->ranges = bigger;
		r->ranges_room = room;
	}
	r->ranges[r->nr_ranges++] = *range;
	r->used->nr++;
}

static int add_inlined(struct reader *r, Dwarf_Die *die, int outer, int depth)
{
	struct range range = { .function = add_function(r, die, outer), .depth = depth };
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	while (range.function != NONE && !is_over(r) &&
	       (at = r->dw->dwarf_ranges(die, at, &base, &range.start, &range.end)) > 0)
		if (range.start < range.end)
			add_range(r, &range);
	return range.function;
}

/* Returns whether an entry with @tag can contain inlined functions. */
static bool may_contain_inlined(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram: /* even one without code: its local classes may have code */
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

/*
 * Visits the DWARF entries below @parent. @outer is the index of the inlined function that contains
 * them, or NONE. A function that is defined inside another function, for example in a local class,
 * is not inlined into that function, so the entries below it are visited with NONE.
 */
static void visit(struct reader *r, Dwarf_Die *parent, int outer, int depth)
{
	const struct libdw *dw = r->dw;
	Dwarf_Die die;
	int more;

	if (depth >= MOST_DEPTH)
		return;
	for (more = dw->dwarf_child(parent, &die); !more && !is_over(r);
	     more = dw->dwarf_siblingof(&die, &die)) {
		int tag = dw->dwarf_tag(&die), inner = outer;

		if (!may_contain_inlined(tag))
			continue;
		if (tag == DW_TAG_inlined_subroutine)
			inner = add_inlined(r, &die, outer, depth);
		else if (tag == DW_TAG_subprogram)
			inner = NONE;
		visit(r, &die, inner, depth + 1);
	}
}

/* ---- the list of addresses ---- */

/*
 * Orders ranges by their start. If two ranges have the same start, the range of the outer function
 * comes first.
 */
static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->depth - y->depth;
}

/*
 * Records that @function is the innermost function from the address @at on: adds an entry, or
 * changes the function of the last entry if that entry has the same address. If ranges overlap
 * without being nested, @at can be less than the address of the last entry. In that case too, the
 * function of the last entry is changed.
 */
static void add_change(struct dwarf_inline *to, Dwarf_Addr at, int function)
{
	struct change *last = to->nr_changes ? &to->changes[to->nr_changes - 1] : NULL;

	if (last && at <= last->at)
		last->function = function;
	else
		to->changes[to->nr_changes++] = (struct change){ .at = at, .function = function };
}

/*
 * A range is open if it has started but not ended. Closes the open ranges that end at or before
 * @at, and adds a change at the end of each. @open contains the indexes of the @nr open ranges, the
 * innermost one last. Returns the number of ranges that are still open.
 */
static size_t end_ranges(struct reader *r, const size_t *open, size_t nr, Dwarf_Addr at)
{
	while (nr && r->ranges[open[nr - 1]].end <= at) {
		Dwarf_Addr end = r->ranges[open[--nr]].end;

		add_change(r->to, end, nr ? r->ranges[open[nr - 1]].function : NONE);
	}
	return nr;
}

static int make_list(struct reader *r)
{
	size_t *open = calloc(r->nr_ranges + 1, sizeof(*open)), nr = 0;

	/* each range adds at most two changes: one at its start and one at its end */
	r->to->changes = calloc(2 * r->nr_ranges + 1, sizeof(*r->to->changes));
	if (!open || !r->to->changes) {
		free(open);
		return -ENOMEM;
	}
	if (r->nr_ranges)
		qsort(r->ranges, r->nr_ranges, sizeof(*r->ranges), by_start);
	for (size_t i = 0; i < r->nr_ranges; i++) {
		nr = end_ranges(r, open, nr, r->ranges[i].start);
		add_change(r->to, r->ranges[i].start, r->ranges[i].function);
		open[nr++] = i;
	}
	end_ranges(r, open, nr, UINT64_MAX);
	free(open);
	return 0;
}

static int read_unit(struct dwarf_unit *unit, const struct libdw *dw,
		     struct dwarf_inline_used *used)
{
	struct reader reader = { .dw = dw, .used = used, .begun_ns = cpu_time() };
	int err;

	reader.to = calloc(1, sizeof(*reader.to));
	if (!reader.to)
		return -ENOMEM;
	visit(&reader, &unit->die, NONE, 0);
	err = reader.failed ? -ENOMEM : make_list(&reader);
	free(reader.ranges);
	used->ns += cpu_time() - reader.begun_ns;
	if (err)
		dwarf_inline__free(reader.to);
	else
		unit->inlined = reader.to;
	return err;
}

/* ---- searches ---- */

/* Returns the index of the innermost inlined function at @address, or NONE. */
static int innermost_at(const struct dwarf_inline *inlined, Dwarf_Addr address)
{
	size_t low = 0, high = inlined->nr_changes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (inlined->changes[middle].at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? inlined->changes[low - 1].function : NONE;
}

int dwarf_inline__find(struct dwarf_unit *unit, const struct libdw *dw,
		       struct dwarf_inline_used *used, Dwarf_Addr address, Dwarf_Die **found,
		       int most)
{
	int err = 0, nr = 0;

	if (!unit->inlined && !used->is_over)
		err = read_unit(unit, dw, used);
	if (err || !unit->inlined)
		return err;
	for (int i = innermost_at(unit->inlined, address); i != NONE && nr < most;
	     i = unit->inlined->functions[i].outer)
		found[nr++] = &unit->inlined->functions[i].die;
	return nr;
}

const char *dwarf_inline__name(const struct libdw *dw, Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					      DW_AT_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (dw->dwarf_attr_integrate(die, names[i], &attribute))
			return dw->dwarf_formstring(&attribute);
	return NULL;
}
