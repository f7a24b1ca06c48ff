// SPDX-License-Identifier: GPL-2.0-only
/* Finds functions of programs and libraries, specified as uprobe:FILE:FUNCTION. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/near-names.h"
#include "util/base/strbuf.h"
#include "util/machine/scope/scope-damage.h"
#include "util/machine/scope/scope-functions.h"
#include "util/machine/scope/scope-go.h"
#include "util/machine/scope/scope-inline.h"
#include "util/machine/scope/scope-match.h"
#include "util/machine/scope/scope-refused.h"
#include "util/machine/scope/scope-returns.h"
#include "util/machine/scope/scope-search.h"
#include "util/machine/scope/scope-uprobe.h"
#include "util/machine/symbols/build-id.h"

static int refuse(const struct uprobe_finder *finder, int err, const char *reason)
{
	return scope_search__refuse(finder->search, finder->spec->name.column, err, "%s: '%s': %s",
				    finder->target.label, finder->spec->name.text, reason);
}

/* Returns whether pstat will attach a return probe to each function that is found. */
static bool has_return_probe(const struct uprobe_finder *finder)
{
	return finder->needs_return || finder->spec->place == PLACE_RETURN;
}

static int add_point(struct uprobe_finder *finder, const char *shown, uint64_t offset)
{
	size_t refused = scope_refused__length(&finder->target.elf, offset);
	struct scope_point point = { .kind = POINT_UPROBE,
				     .file = finder->target.index,
				     .offset = offset,
				     .syscall = -1,
				     .at_return = finder->spec->place == PLACE_RETURN,
				     .is_return_instruction = finder->spec->place ==
							      PLACE_RETURNS };

	if (refused)
		return scope_uprobe__refuse_instruction(finder, shown, refused);
	if (asprintf(&point.name, "%s:%s%s", finder->target.label, shown,
		     point.at_return ? "%return" : "") < 0)
		point.name = NULL;
	return scope_points__add(finder->points, &point);
}

static int add_returns(struct uprobe_finder *finder, const struct scope_function *function,
		       const char *shown)
{
	struct scope_returns returns;
	char name[64];
	int err = scope_returns__find(&finder->target.elf, function, &returns);

	if (err && err != -ENOMEM && scope_word__is_glob(&finder->spec->name)) {
		scope_uprobe__leave_out_returns(finder, shown);
		return 0;
	}
	if (err)
		return err == -ENOMEM ? err : refuse(finder, err, scope_returns__strerror(err));
	for (size_t i = 0; i < returns.nr && !err; i++) {
		struct strbuf text = STRBUF_INIT;

		snprintf(name, sizeof(name), "+%#" PRIx64, returns.offsets[i] - function->offset);
		strbuf__adds(&text, shown);
		strbuf__adds(&text, name);
		err = add_point(finder, text.text, returns.offsets[i]);
		strbuf__free(&text);
	}
	scope_returns__free(&returns);
	return err;
}

/*
 * Refuses @offset (in @function) if it is in the middle of an instruction, because a breakpoint
 * there would change what the program does. Accepts @offset if the code cannot be decoded.
 */
static int check_boundary(const struct uprobe_finder *finder, const struct scope_function *function,
			  uint64_t offset)
{
	int err = scope_returns__check(&finder->target.elf, function, offset);

	if (err != -EINVAL)
		return err == -ENOMEM ? err : 0;
	return scope_search__refuse(finder->search, finder->spec->name.column, err,
				    "%s: no instruction begins at %s+%#" PRIx64
				    ": a probe there would damage the program",
				    finder->target.label, function->name, offset);
}

static int add_function(struct uprobe_finder *finder, const struct scope_function *function,
			const char *shown)
{
	const struct point_spec *spec = finder->spec;
	struct strbuf text = STRBUF_INIT;
	bool is_function;
	const char *why;
	int err;

	if (function->is_indirect)
		return refuse(finder, -EOPNOTSUPP,
			      "the symbol is a function that selects one of several "
			      "implementations when the library is loaded (IFUNC): name the "
			      "implementation");
	if (spec->place == PLACE_RETURNS)
		return add_returns(finder, function, shown);
	why = !has_return_probe(finder) ? NULL :
					  scope_damage__why(&finder->target.elf, function->name,
							    function->address, &is_function);
	if (why)
		return scope_uprobe__refuse_damage(finder, function, shown, why, is_function);
	if (!spec->offset)
		return add_point(finder, shown, function->offset);
	if (function->size && spec->offset >= function->size)
		return scope_search__refuse(
			finder->search, spec->name.column, -EINVAL,
			"%s: '%s' has %" PRIu64 " bytes, so +%#" PRIx64 " is past its end",
			finder->target.label, shown, function->size, spec->offset);
	err = check_boundary(finder, function, spec->offset);
	if (err)
		return err;
	strbuf__addf(&text, "%s+%#" PRIx64, shown, spec->offset);
	err = add_point(finder, text.text, function->offset + spec->offset);
	strbuf__free(&text);
	return err;
}

/* ---- names ---- */

/*
 * Returns the number of places at which the function @symbol is inlined. Returns 0 if this number
 * is unknown, or if the user wrote a glob.
 */
static uint32_t count_inlined(const struct uprobe_finder *finder, const char *symbol)
{
	uint32_t nr;

	if (scope_word__is_glob(&finder->spec->name))
		return 0;
	return scope_inline__count(&finder->target.elf,
				   finder->search->env->debug_dirs ?: DEBUG_DIRS, symbol, &nr) ?
		       0 :
		       nr;
}

static void warn_of_inlined(const struct uprobe_finder *finder, const struct scope_match *match)
{
	uint32_t nr = count_inlined(finder, match->function->name);

	if (nr)
		pr_warn("%s: the compiler also inlined '%s' in %u place%s, whose runs are not "
			"counted",
			finder->target.label, match->shown, nr, nr == 1 ? "" : "s");
}

static void explain_stripped(const struct scope_search *search,
			     const struct scope_functions *functions)
{
	if (scope_functions__are_exported_only(functions))
		strbuf__adds(search->why,
			     "\nthe file is stripped, and its debug file is not installed, so only "
			     "the functions that it exports are known");
}

static int refuse_unknown(const struct uprobe_finder *finder, struct scope_functions *functions)
{
	uint32_t nr = count_inlined(finder, finder->spec->name.text);
	const char *name = finder->spec->name.text;
	const struct scope_search *search = finder->search;
	struct near_names near = { 0 };

	if (scope_word__is_glob(&finder->spec->name)) {
		scope_search__refuse(search, finder->spec->name.column, -ENOENT,
				     "no function of %s matches '%s'", finder->target.label, name);
		explain_stripped(search, functions);
		return -ENOENT;
	}
	if (nr)
		return scope_search__refuse(
			search, finder->spec->name.column, -EOPNOTSUPP,
			"%s: the compiler inlined '%s' everywhere (%u place%s), so it has no code "
			"of its own\nname a function that calls it, or compile it as noinline",
			finder->target.label, name, nr, nr == 1 ? "" : "s");
	scope_search__refuse(search, finder->spec->name.column, -ENOENT, "%s has no function '%s'",
			     finder->target.label, name);
	scope_match__offer(functions, &near, name);
	for (int i = 0; i < near.nr; i++)
		strbuf__addf(search->why, "%s'%s'", !i ? "\nsimilar names: " : ", ", near.names[i]);
	near_names__free(&near);
	explain_stripped(search, functions);
	return -ENOENT;
}

static int find_by_name(struct uprobe_finder *finder, struct scope_functions *functions)
{
	int nr_before = finder->points->nr;
	struct scope_matches found;
	int err = scope_match__find(functions, &finder->spec->name, &found);

	if (!err && !found.nr)
		return refuse_unknown(finder, functions);
	for (size_t i = 0; i < found.nr && !err; i++)
		err = add_function(finder, found.matches[i].function, found.matches[i].shown);
	if (!err && found.nr == 1)
		warn_of_inlined(finder, &found.matches[0]);
	err = err ?: scope_uprobe__report_left_out(finder, finder->points->nr - nr_before);
	scope_matches__free(&found);
	return err;
}

/* ---- addresses ---- */

/*
 * Called if @address must be the entry of a function. If @address is in a known function, checks
 * that the function begins at @address.
 */
static int check_start(const struct uprobe_finder *finder, const struct scope_functions *functions,
		       uint64_t address)
{
	const struct scope_function *function =
		functions ? scope_functions__at(functions, address) : NULL;

	if (!function || function->address == address)
		return 0;
	return scope_search__refuse(finder->search, finder->spec->name.column, -EINVAL,
				    "%s: the address is %#" PRIx64 " bytes after the beginning of "
				    "%s, and %%return applies only to the beginning of a function",
				    finder->target.label, address - function->address,
				    function->name);
}

static int find_by_address(struct uprobe_finder *finder, const struct scope_functions *functions)
{
	const struct point_spec *spec = finder->spec;
	uint64_t address = spec->address + spec->offset, offset = 0;
	const struct scope_function *function;
	struct elf_segments segments;
	bool is_function;
	const char *why;
	char shown[64];
	int err = elf_file__segments(&finder->target.elf, &segments);

	if (!err)
		err = elf_segments__offset_of(&segments, address, true, &offset);
	free(segments.segments);
	if (err == -ENOMEM)
		return err;
	if (err)
		return refuse(finder, err,
			      err == -EACCES ? "there is no code at this address" :
					       "the file contains no such address");
	if (finder->needs_return || spec->place != PLACE_WHOLE)
		err = check_start(finder, functions, address);
	function = functions ? scope_functions__at(functions, address) : NULL;
	if (!err && function)
		err = check_boundary(finder, function, address - function->address);
	snprintf(shown, sizeof(shown), "%#" PRIx64, address);
	why = err || !has_return_probe(finder) ?
		      NULL :
		      scope_damage__why(&finder->target.elf, function ? function->name : NULL,
					address, &is_function);
	if (why)
		return scope_uprobe__refuse_damage(finder, function, shown, why, is_function);
	if (err || spec->place != PLACE_RETURNS)
		return err ?: add_point(finder, shown, offset);
	if (!function)
		return refuse(finder, -EOPNOTSUPP, "the end of the function is unknown");
	return add_returns(finder, function, shown);
}

/* ---- all ---- */

static int check_go(const struct uprobe_finder *finder)
{
	if (!has_return_probe(finder))
		return 0;
	if (!scope_go__is(&finder->target.elf))
		return 0;
	scope_search__refuse(finder->search, finder->spec->file.column, -EOPNOTSUPP,
			     "%s is a Go program: a probe at the return of a function changes the "
			     "return address on the stack, and Go crashes when it moves the stack",
			     finder->target.label);
	scope_uprobe__offer_returns(finder);
	return -EOPNOTSUPP;
}

/*
 * Warns if pstat uses return probes and the file uses exceptions, because an exception that passes
 * through a function with a return probe ends the program. This is not an error, because pstat
 * cannot predict whether an exception will pass through such a function.
 */
static void warn_of_exceptions(const struct uprobe_finder *finder)
{
	if (has_return_probe(finder) && scope_damage__has_exceptions(&finder->target.elf))
		pr_warn_once("%s: if an exception passes through a counted function, the program "
			     "ends, because a return probe hides the callers of the function\nif "
			     "exceptions can occur, write two points and probe the return "
			     "instructions: uprobe:FILE:FUNCTION..FUNCTION%%returns",
			     finder->target.label);
}

static int refuse_stripped(const struct uprobe_finder *finder, int err)
{
	if (err == -EINTR || err == -ENOMEM)
		return err;
	return scope_search__refuse(finder->search, finder->spec->file.column, err, "%s: %s",
				    finder->target.label,
				    err == -ENODATA ? "the file is stripped, and its debug file is "
						      "not installed: write an address" :
						      elf_file__strerror(err));
}

int scope_uprobe__find(const struct scope_search *search, const struct point_spec *spec,
		       bool needs_return, struct scope_points *points)
{
	struct uprobe_finder finder = {
		.search = search,
		.spec = spec,
		.points = points,
		.needs_return = needs_return,
		.refused = { .names = STRBUF_INIT },
		.damaged = { .names = STRBUF_INIT },
		.endless = { .names = STRBUF_INIT },
	};
	struct scope_functions *functions = NULL;
	int err = scope_target__open(&finder.target, search, &spec->file);

	if (err)
		return err;
	err = scope_functions__read(&functions, &finder.target.elf,
				    search->env->debug_dirs ?: DEBUG_DIRS);
	/* an address can be probed even if no functions are known */
	if (err && err != -EINTR && err != -ENOMEM && spec->has_address)
		err = 0;
	else if (err)
		err = refuse_stripped(&finder, err);
	if (!err && spec->has_address)
		err = find_by_address(&finder, functions);
	else if (!err)
		err = find_by_name(&finder, functions);
	err = err ?: check_go(&finder);
	if (!err)
		warn_of_exceptions(&finder);
	scope_functions__free(functions);
	strbuf__free(&finder.refused.names);
	strbuf__free(&finder.damaged.names);
	strbuf__free(&finder.endless.names);
	scope_target__close(&finder.target);
	return err;
}
