// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/dwarf-units.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/log.h"
#include "util/machine/symbols/dwarf-inline.h"

void dwarf_units__free(struct dwarf_units *units)
{
	for (size_t i = 0; i < units->nr_units; i++)
		dwarf_inline__free(units->units[i].inlined);
	free(units->units);
	free(units->ranges);
	*units = (struct dwarf_units){ .is_read = false };
}

/*
 * Makes room for one more entry in an array. @entries is the address of the pointer to the array,
 * which has @nr entries of @size bytes and room for *@room entries. Returns 0 or -ENOMEM.
 */
static int make_room(void *entries, size_t nr, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void **to = entries, *bigger;

	if (nr < *room)
		return 0;
	bigger = realloc(*to, more * size);
	if (!bigger)
		return -ENOMEM;
	*to = bigger;
	*room = more;
	return 0;
}

static int add_unit(struct dwarf_units *units, const struct libdw *dw, Dwarf_Die *die,
		    Dwarf_Addr bias)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	if (make_room(&units->units, units->nr_units, &units->units_room, sizeof(*units->units)))
		return -ENOMEM;
	units->units[units->nr_units] = (struct dwarf_unit){ .die = *die, .bias = bias };
	while ((at = dw->dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (make_room(&units->ranges, units->nr_ranges, &units->ranges_room,
			      sizeof(*units->ranges)))
			return -ENOMEM;
		units->ranges[units->nr_ranges++] = (struct dwarf_unit_range){
			.start = start + bias, .end = end + bias, .unit = units->nr_units
		};
	}
	units->nr_units++;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct dwarf_unit_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void read_units(struct dwarf_units *units, const struct libdw *dw, Dwfl_Module *module)
{
	Dwarf_Die *die = NULL;
	Dwarf_Addr bias;
	int err = 0;

	while (!err && (die = dw->dwfl_module_nextcu(module, die, &bias)))
		err = add_unit(units, dw, die, bias);
	if (err)
		pr_warn("out of memory for the compilation units of a file: some of its source "
			"lines are missing");
	if (units->nr_ranges)
		qsort(units->ranges, units->nr_ranges, sizeof(*units->ranges), by_start);
	units->is_read = true;
}

/* In a valid file, units do not overlap, so at most one range contains @address. */
struct dwarf_unit *dwarf_units__find(struct dwarf_units *units, const struct libdw *dw,
				     Dwfl_Module *module, Dwarf_Addr address)
{
	const struct dwarf_unit_range *range;
	size_t low = 0, high;

	if (!units->is_read)
		read_units(units, dw, module);
	high = units->nr_ranges;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (units->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	range = low ? &units->ranges[low - 1] : NULL;
	return range && address < range->end ? &units->units[range->unit] : NULL;
}
