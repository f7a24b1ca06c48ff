// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refuses or leaves out functions that cannot be probed. If the user wrote the name or the address
 * of such a function, pstat reports an error and, if possible, suggests another specification. If
 * the user wrote a glob, pstat leaves the function out.
 */
#include <errno.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/machine/scope/scope-functions.h"
#include "util/machine/scope/scope-returns.h"
#include "util/machine/scope/scope-uprobe.h"

/* The maximum number of functions that a message names. */
#define MOST_NAMES 5

static void leave_out(struct left_out *functions, const char *shown)
{
	if (functions->nr++ < MOST_NAMES)
		strbuf__addf(&functions->names, "%s%s", functions->nr > 1 ? ", " : "", shown);
}

void scope_uprobe__offer_returns(const struct uprobe_finder *finder)
{
	const char *file = finder->spec->file.pattern, *name = finder->spec->name.pattern;
	struct strbuf *why = finder->search->why;

	if (finder->needs_return)
		strbuf__addf(why,
			     "\nwrite two points and probe the return instructions: "
			     "uprobe:%s:%s..%s%%returns",
			     file, name, name);
	else
		strbuf__addf(why, "\nprobe the return instructions: uprobe:%s:%s%%returns", file,
			     name);
}

int scope_uprobe__refuse_damage(struct uprobe_finder *finder, const struct scope_function *function,
				const char *shown, const char *why, bool is_function)
{
	const struct point_spec *spec = finder->spec;
	struct scope_returns returns;

	if (scope_word__is_glob(&spec->name)) {
		if (is_function)
			leave_out(&finder->damaged, shown);
		return 0;
	}
	scope_search__refuse(finder->search, spec->name.column, -EOPNOTSUPP,
			     "%s: a return probe at '%s' would damage the program: %s",
			     finder->target.label, shown, why);
	if (function && !scope_returns__find(&finder->target.elf, function, &returns)) {
		scope_uprobe__offer_returns(finder);
		scope_returns__free(&returns);
	}
	return -EOPNOTSUPP;
}

#define WHICH "lock or segment prefix, I/O, some vector instructions"

int scope_uprobe__refuse_instruction(struct uprobe_finder *finder, const char *shown, size_t length)
{
	const struct point_spec *spec = finder->spec;
	const char *file = spec->file.pattern, *name = spec->name.pattern;

	if (scope_word__is_glob(&spec->name)) {
		leave_out(&finder->refused, shown);
		return 0;
	}
	scope_search__refuse(finder->search, spec->name.column, -EOPNOTSUPP,
			     "%s: '%s' begins with an instruction that the kernel cannot probe "
			     "(" WHICH ")",
			     finder->target.label, shown);
	if (!spec->offset && !spec->has_address)
		strbuf__addf(finder->search->why,
			     "\nbegin after it, and probe the return instructions: "
			     "uprobe:%s:%s+%zu..%s%%returns",
			     file, name, length, name);
	return -EOPNOTSUPP;
}

void scope_uprobe__leave_out_returns(struct uprobe_finder *finder, const char *shown)
{
	leave_out(&finder->endless, shown);
}

/*
 * If @functions is empty, does nothing and returns 0. If the search added points (@nr_points is not
 * 0), warns that @functions were left out because @reason, and returns 0. Otherwise, stores an
 * error message in search->why, and returns -EOPNOTSUPP.
 */
static int report_left_out(const struct uprobe_finder *finder, const struct left_out *functions,
			   int nr_points, const char *reason)
{
	const char *label = finder->target.label, *names = functions->names.text;
	const char *more = functions->nr > MOST_NAMES ? ", ..." : "";

	if (!functions->nr)
		return 0;
	if (!nr_points)
		return scope_search__refuse(finder->search, finder->spec->name.column, -EOPNOTSUPP,
					    "%s: all matching functions are left out, because %s: "
					    "%s%s",
					    label, reason, names, more);
	pr_warn("%s: %d matching function%s not counted, because %s: %s%s", label, functions->nr,
		functions->nr == 1 ? " is" : "s are", reason, names, more);
	return 0;
}

int scope_uprobe__report_left_out(const struct uprobe_finder *finder, int nr_points)
{
	int err = report_left_out(
		finder, &finder->refused, nr_points,
		finder->spec->offset ? "the kernel cannot probe the instruction at this "
				       "offset (" WHICH ")" :
				       "the kernel cannot probe the first instruction (" WHICH ")");

	err = err   ?:
		      report_left_out(finder, &finder->damaged, nr_points,
				      "a return probe there would damage the program");
	err = err   ?:
		      report_left_out(finder, &finder->endless, nr_points,
				      "their return instructions cannot be found");
	if (!err && !nr_points)
		err = scope_search__refuse(finder->search, finder->spec->name.column, -EOPNOTSUPP,
					   "%s: '%s' matches only parts of functions or the start "
					   "of the program, which have no return address",
					   finder->target.label, finder->spec->name.text);
	return err;
}
