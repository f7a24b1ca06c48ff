/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that search for functions of programs: scope-uprobe*.c. */
#ifndef PSTAT_MACHINE_SCOPE_UPROBE_H
#define PSTAT_MACHINE_SCOPE_UPROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/strbuf.h"
#include "util/machine/scope/scope-search.h"

struct scope_function;

/* Functions that match a glob, but are not counted: their number, and the first names. */
struct left_out {
	int nr;
	struct strbuf names;
};

struct uprobe_finder {
	const struct scope_search *search;
	const struct point_spec *spec;
	struct scope_target target;
	struct scope_points *points;
	bool needs_return;
	struct left_out refused; /* by the kernel, because of their first instruction */
	struct left_out damaged; /* by a return probe */
	struct left_out endless; /* no return instruction is known */
};

/*
 * Called if the kernel cannot probe the instruction of @length bytes at a point, which messages
 * call @shown. If a glob matches the point, leaves the point out and returns 0. Otherwise returns
 * -EOPNOTSUPP after storing the reason.
 */
int scope_uprobe__refuse_instruction(struct uprobe_finder *finder, const char *shown,
				     size_t length);

/*
 * Called if a return probe at @function (NULL: unknown), which messages call @shown, would damage
 * the program for the reason @why. Returns the same as scope_uprobe__refuse_instruction(). If
 * @is_function is false, the code is only a part of a function, and no warning names it.
 */
int scope_uprobe__refuse_damage(struct uprobe_finder *finder, const struct scope_function *function,
				const char *shown, const char *why, bool is_function);

/* Adds to the reason of an error how to write the point without a return probe. */
void scope_uprobe__offer_returns(const struct uprobe_finder *finder);

/* Leaves out a function, called @shown, whose return instructions cannot be found. */
void scope_uprobe__leave_out_returns(struct uprobe_finder *finder, const char *shown);

/*
 * Warns about functions that were left out. If the glob matches no other functions (@nr_points is
 * 0), returns -EOPNOTSUPP after storing the reason, otherwise 0.
 */
int scope_uprobe__report_left_out(const struct uprobe_finder *finder, int nr_points);

#endif
