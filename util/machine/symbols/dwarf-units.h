/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the compilation unit (usually one source file) that contains the code at an address. */
#ifndef PSTAT_MACHINE_DWARF_UNITS_H
#define PSTAT_MACHINE_DWARF_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/machine/symbols/libdw.h"

struct dwarf_inline;

struct dwarf_unit {
	Dwarf_Die die;
	/* libdwfl's addresses are the addresses in the unit's DWARF data plus `bias` */
	Dwarf_Addr bias;
	struct dwarf_inline *inlined; /* owned; NULL: not read yet (dwarf-inline.h) */
};

/* Initialize the struct with zeros. The first search reads the units. */
struct dwarf_units {
	bool is_read;
	struct dwarf_unit *units;
	struct dwarf_unit_range {
		Dwarf_Addr start, end;
		size_t unit; /* index in `units` */
	} * ranges;	     /* sorted by address */
	size_t nr_units, units_room, nr_ranges, ranges_room;
};

/*
 * Returns the unit that contains the code at @address (libdwfl's address) in @module, or NULL. The
 * first call reads the address ranges of all units, and warns if memory runs out. This function
 * does not use libdwfl's own search, because that search needs the section .debug_aranges, which
 * clang does not write.
 */
struct dwarf_unit *dwarf_units__find(struct dwarf_units *units, const struct libdw *dw,
				     Dwfl_Module *module, Dwarf_Addr address);
void dwarf_units__free(struct dwarf_units *units);

#endif
