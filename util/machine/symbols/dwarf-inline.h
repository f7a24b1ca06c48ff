/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uses the DWARF data of a compilation unit to find the inlined functions at an address.
 * dwarf_getscopes() of libdw visits all functions of the unit for each address. If the unit
 * contains many C++ templates, one call can take 4.5 ms. So pstat visits the functions once, and
 * makes a list of addresses:
 *
 *	inlined functions	    list
 *	f: 10-40		    10 f
 *	  g: 20-30 (inlined in f)   20 g
 *				    30 f
 *				    40 none
 *
 * The last entry at or before an address names the innermost inlined function at this address. Each
 * inlined function refers to the inlined function that contains it, if any.
 */
#ifndef PSTAT_MACHINE_DWARF_INLINE_H
#define PSTAT_MACHINE_DWARF_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/machine/symbols/libdw.h"

struct dwarf_inline;
struct dwarf_unit;

/* Limits for all units of a file together. When a limit is reached, pstat stops reading units. */
#define DWARF_INLINE_MOST (1 << 20) /* inlined functions plus their address ranges */
#define DWARF_INLINE_CPU_SECONDS 5

/* How much of these limits the units have used so far. */
struct dwarf_inline_used {
	size_t nr;
	uint64_t ns;  /* CPU time */
	bool is_over; /* a limit was reached: some inlined functions are unknown */
};

/*
 * Finds the inlined functions at @address (libdwfl's address minus unit->bias). Stores pointers to
 * the DWARF entries of at most @most functions in @found, the innermost function first. Returns the
 * number of pointers, or -ENOMEM. The first call for a unit reads the unit.
 */
int dwarf_inline__find(struct dwarf_unit *unit, const struct libdw *dw,
		       struct dwarf_inline_used *used, Dwarf_Addr address, Dwarf_Die **found,
		       int most);
/*
 * Returns the name of the inlined function @die, or NULL if it has none. Prefers the linkage name,
 * which symbol tables also use.
 */
const char *dwarf_inline__name(const struct libdw *dw, Dwarf_Die *die);
void dwarf_inline__free(struct dwarf_inline *inlined);

#endif
