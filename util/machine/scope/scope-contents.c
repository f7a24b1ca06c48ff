// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-contents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/machine/scope/scope-damage.h"
#include "util/machine/scope/scope-functions.h"
#include "util/machine/scope/scope-search.h"
#include "util/machine/scope/scope-usdt.h"
#include "util/machine/symbols/build-id.h"

typedef int each_fn(const struct listed_point *point, void *arg);

/* ---- functions ---- */

static void add_alias(struct strbuf *aliases, const struct scope_function *function)
{
	strbuf__adds(aliases, aliases->len ? " " : "");
	strbuf__adds(aliases, function->name);
	if (function->version)
		strbuf__addf(aliases, "@%s", function->version);
}

/*
 * Returns whether another version of @function is an IFUNC. The name without a version then means
 * the IFUNC, which --scope refuses.
 */
static bool needs_version(const struct scope_functions *functions,
			  const struct scope_function *function)
{
	size_t nr;
	const struct scope_function *all = scope_functions__all(functions, &nr);

	for (size_t i = 0; function->version && i < nr; i++)
		if (all[i].is_indirect && !strcmp(all[i].name, function->name))
			return true;
	return false;
}

/*
 * Calls @each for one function. Its names are the symbols from @first up to, but not including,
 * @end.
 */
static int list_function(struct scope_functions *functions, const char *file,
			 const struct scope_function *first, const struct scope_function *end,
			 each_fn *each, void *arg)
{
	struct strbuf spec = STRBUF_INIT, aliases = STRBUF_INIT;
	struct listed_point point = { .symbol = first->name,
				      .name = scope_functions__readable(functions, first->name),
				      .size = first->size,
				      .address = first->address };
	int err = point.name ? 0 : -ENOMEM;

	for (const struct scope_function *alias = first + 1; alias < end; alias++)
		if (strcmp(alias->name, alias[-1].name) != 0)
			add_alias(&aliases, alias);
	strbuf__adds(&spec, "uprobe:");
	scope_word__escape(&spec, file, ":%");
	strbuf__addc(&spec, ':');
	if (point.name)
		scope_word__escape(&spec, point.name, "%");
	if (needs_version(functions, first))
		strbuf__addf(&spec, "@%s", first->version);
	point.spec = spec.text;
	point.aliases = aliases.text;
	if (strbuf__failed(&spec) || strbuf__failed(&aliases))
		err = -ENOMEM;
	err = err ?: each(&point, arg);
	strbuf__free(&spec);
	strbuf__free(&aliases);
	return err;
}

static int list_functions(struct scope_functions *functions, const struct elf_file *elf,
			  const char *file, each_fn *each, void *arg)
{
	size_t nr, end;
	const struct scope_function *all = scope_functions__all(functions, &nr);
	int err = 0;

	for (size_t i = 0; i < nr && !err; i = end) {
		for (end = i + 1; end < nr && all[end].address == all[i].address;)
			end++;
		/*
		 * Omit IFUNCs, and code that is not reached by a call (scope-damage.h). The loader
		 * calls an IFUNC to select an implementation, so a probe at the IFUNC would not see
		 * the calls to the implementation.
		 */
		if (!all[i].is_indirect &&
		    scope_damage__is_called(elf, all[i].name, all[i].address))
			err = list_function(functions, file, &all[i], &all[end], each, arg);
	}
	return err;
}

/* ---- USDT points ---- */

struct places {
	struct usdt_place *places;
	size_t nr, room;
};

static int keep_place(const struct usdt_place *place, void *arg)
{
	struct places *places = arg;

	if (places->nr == places->room) {
		size_t room = places->room ? 2 * places->room : 64;
		struct usdt_place *more = reallocarray(places->places, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		places->places = more;
		places->room = room;
	}
	places->places[places->nr++] = *place;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct usdt_place *x = a, *y = b;

	return strcmp(x->provider, y->provider) ?:
		       strcmp(x->name, y->name) ?:
		       (x->address > y->address) - (x->address < y->address);
}

static bool is_same_point(const struct usdt_place *a, const struct usdt_place *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

static int list_point(const char *file, const struct usdt_place *first, size_t nr, each_fn *each,
		      void *arg)
{
	struct listed_point point = { .is_usdt = true,
				      .provider = first->provider,
				      .name = first->name,
				      .arguments = first->arguments ?: "",
				      .nr_places = (int)nr,
				      .address = first->address };
	struct strbuf spec = STRBUF_INIT;
	int err;

	for (size_t i = 0; i < nr; i++)
		point.has_semaphore |= first[i].ref_ctr_offset != 0;
	strbuf__adds(&spec, "usdt:");
	scope_word__escape(&spec, file, ":%");
	strbuf__addc(&spec, ':');
	scope_word__escape(&spec, first->provider, ":%");
	strbuf__addc(&spec, ':');
	scope_word__escape(&spec, first->name, ":%");
	point.spec = spec.text;
	err = strbuf__failed(&spec) ? -ENOMEM : each(&point, arg);
	strbuf__free(&spec);
	return err;
}

/*
 * Calls @each for each USDT point. Returns 0; -ENOENT if the file has no USDT points; -ENOMEM; or
 * the result of @each if it is not 0.
 */
static int list_usdt(const struct elf_file *elf, const char *file, each_fn *each, void *arg)
{
	struct places places = { 0 };
	int err = scope_usdt__each(elf, keep_place, &places);

	if (!err)
		qsort(places.places, places.nr, sizeof(*places.places), by_name);
	for (size_t i = 0, end; i < places.nr && !err; i = end) {
		for (end = i + 1;
		     end < places.nr && is_same_point(&places.places[i], &places.places[end]);)
			end++;
		err = list_point(file, &places.places[i], end - i, each, arg);
	}
	free(places.places);
	return err;
}

int scope_contents__each(const struct scope_env *env, const char *file, each_fn *each, void *arg,
			 struct strbuf *why)
{
	struct scope_list list = SCOPE_LIST_INIT;
	const struct scope_search search = { .list = &list, .env = env, .why = why };
	struct scope_functions *functions = NULL;
	struct scope_target target;
	struct scope_word word;
	int err = scope_word__init(&word, file, file + strlen(file), 0), no_functions, no_usdt;

	/* backslashes have no special meaning in @file, unlike in the value of --scope */
	if (!err)
		strcpy(word.text, word.pattern);
	err = err ?: scope_target__open(&target, &search, &word);
	if (err)
		goto out;
	no_functions =
		scope_functions__read(&functions, &target.elf, env->debug_dirs ?: DEBUG_DIRS);
	if (no_functions == -EINTR || no_functions == -ENOMEM)
		err = no_functions;
	if (!no_functions)
		err = list_functions(functions, &target.elf, file, each, arg);
	if (!err) {
		no_usdt = list_usdt(&target.elf, file, each, arg);
		err = no_usdt == -ENOENT ? 0 : no_usdt;
		if (no_functions && no_usdt == -ENOENT)
			err = scope_search__refuse(&search, 0, no_functions, "%s: %s", file,
						   no_functions == -ENODATA ?
							   "it is stripped, its debug file is not "
							   "installed, and it has no USDT points" :
							   elf_file__strerror(no_functions));
	}
	scope_functions__free(functions);
	scope_target__close(&target);
out:
	scope_word__free(&word);
	scope_list__free(&list);
	return err;
}
