/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that scope-uprobe.c and scope-uprobe-refuse.c share. */
#ifndef PSTAT_MACHINE_SCOPE_UPROBE_H
#define PSTAT_MACHINE_SCOPE_UPROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/strbuf.h"
#include "util/machine/scope/scope-search.h"

struct scope_function;

/* Functions that match a glob, but cannot be counted. */
struct left_out {
	int nr;
	struct strbuf names; /* for messages: the names of the first few of these functions */
};

struct uprobe_finder {
	const struct scope_search *search;
	const struct point_spec *spec;
	struct scope_target target;
	struct scope_points *points;
	bool needs_return;
	struct left_out refused; /* functions in which the kernel cannot probe the point */
	struct left_out damaged; /* functions at which a return probe would damage the program */
	struct left_out endless; /* functions whose return instructions pstat cannot find */
};

/*
 * Called if the kernel cannot probe the instruction at a point. @length is the length of the
 * instruction in bytes. @shown is the name of the point in messages. If the user wrote a glob,
 * leaves the point out and returns 0. Otherwise returns -EOPNOTSUPP after storing the reason.
 */
int scope_uprobe__refuse_instruction(struct uprobe_finder *finder, const char *shown,
				     size_t length);

/*
 * Called if a return probe at @function (NULL: unknown) would damage the program. @why is the
 * reason. @shown is the name of the function in messages. If the user wrote a glob, leaves the
 * function out and returns 0. Otherwise returns -EOPNOTSUPP after storing the reason. @is_function
 * is false for a cold part of a function (scope-damage.h) and for the program's entry point.
 * Warnings mention neither.
 */
int scope_uprobe__refuse_damage(struct uprobe_finder *finder, const struct scope_function *function,
				const char *shown, const char *why, bool is_function);

/* Adds advice to the error message: how to count the function without a return probe. */
void scope_uprobe__offer_returns(const struct uprobe_finder *finder);

/*
 * Leaves out a function whose return instructions cannot be found. @shown is its name in messages.
 */
void scope_uprobe__leave_out_returns(struct uprobe_finder *finder, const char *shown);

/*
 * Warns about functions that were left out, and returns 0. @nr_points is the number of points that
 * the search added. If it is 0, all matching functions were left out. In this case, stores the
 * reason and returns -EOPNOTSUPP.
 */
int scope_uprobe__report_left_out(const struct uprobe_finder *finder, int nr_points);

#endif
