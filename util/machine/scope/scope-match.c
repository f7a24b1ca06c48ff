// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-match.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/interrupt.h"
#include "util/base/near-names.h"
#include "util/machine/scope/scope-damage.h"
#include "util/machine/scope/scope-functions.h"
#include "util/machine/scope/scope-word.h"

/* ---- demangled names ---- */

/*
 * Returns the length of the part of @name before its parameters. For "f(int) const", this is the
 * length of "f". The parameters end at the last closing parenthesis.
 */
static size_t without_parameters(const char *name)
{
	const char *close = strrchr(name, ')'), *at = close;
	int depth = 0;

	for (; at && at >= name; at--) {
		depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
		if (!depth)
			break;
	}
	/* "(anonymous namespace)::f" and "operator()" have no parameters */
	if (!at || at <= name || strstr(close, "::") ||
	    (close == at + 1 && at - name >= 8 && !strncmp(at - 8, "operator", 8)))
		return strlen(name);
	return (size_t)(at - name);
}

static bool is_balanced(const char *text, size_t len)
{
	int depth = 0;

	for (size_t i = 0; i < len; i++)
		depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
	return !depth;
}

/*
 * Returns whether the first @len characters of @name are equal to @wanted. Ignores spaces, because
 * their number can differ, for example in "> >". If @name begins with a return type ("void
 * f<int>"), @wanted can omit this type.
 */
static bool is_called(const char *name, size_t len, const char *wanted)
{
	size_t left = strlen(wanted);

	for (;;) {
		while (left && wanted[left - 1] == ' ')
			left--;
		if (!left)
			break;
		while (len && name[len - 1] == ' ')
			len--;
		if (!len || name[len - 1] != wanted[left - 1])
			return false;
		len--;
		left--;
	}
	if (!len)
		return true;
	return name[len - 1] == ' ' && is_balanced(name, len) &&
	       !(len >= 9 && !strncmp(name + len - 9, "operator ", 9));
}

static bool is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * Finds a hint: text in @wanted that the mangled name of each matching function contains.
 * has_source_name() demangles only names that contain the hint. A "::" or a space begins a new part
 * of @wanted if it is before the parameters and outside angle brackets and parentheses. The hint is
 * the identifier at the beginning of the last part. Sets *@hint to the hint, and returns its
 * length. Returns 0 for constructors and operators, because their mangled names need not contain
 * this identifier.
 */
static size_t find_hint(const char *wanted, const char **hint)
{
	const char *component = wanted, *before = NULL;
	size_t len = 0, len_before = 0;
	int depth = 0;

	for (const char *at = wanted; *at; at++) {
		if (!depth && *at == '(' && at > wanted)
			break;
		depth += *at == '<' || *at == '(' ? 1 : *at == '>' || *at == ')' ? -1 : 0;
		if (!depth && at[0] == ':' && at[1] == ':') {
			before = component;
			component = at + 2;
		}
		/*
		 * the demangled name of a template function begins with its return type, followed
		 * by a space
		 */
		if (!depth && *at == ' ' && at[1] != '(' &&
		    strncmp(component, "operator", 8) != 0) {
			before = NULL;
			component = at + 1;
		}
	}
	while (is_identifier(component[len]))
		len++;
	while (before && is_identifier(before[len_before]))
		len_before++;
	*hint = component;
	if (!strncmp(component, "operator", 8) ||
	    (before && len == len_before && !strncmp(component, before, len)))
		return 0;
	return len;
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* ---- matching ---- */

struct search {
	struct scope_functions *functions;
	const struct scope_word *word;
	const char *hint;
	size_t hint_len;
	bool readable; /* also compare the glob with demangled names, which is slow */
	struct scope_matches *found;
	size_t room;
};

/*
 * Compares a function with the user's word. Returns 1 if the function matches, 0 if it does not, or
 * -errno. Sets *@shown and *@len to the name that messages show, and its length.
 */
typedef int compare_fn(const struct search *search, const struct scope_function *function,
		       const char **shown, size_t *len);

static int has_name(const struct search *search, const struct scope_function *function,
		    const char **shown, size_t *len)
{
	const char *wanted = search->word->text;
	size_t name_len = strlen(function->name);

	*shown = wanted;
	*len = strlen(wanted);
	if (strncmp(wanted, function->name, name_len) != 0)
		return 0;
	wanted += name_len;
	if (!*wanted)
		return 1;
	if (*wanted != '@' || !function->version)
		return 0;
	wanted += wanted[1] == '@' ? 2 : 1;
	return !strcmp(wanted, function->version);
}

static int has_source_name(const struct search *search, const struct scope_function *function,
			   const char **shown, size_t *len)
{
	/* a cold part of a function has no name in the source */
	if (!is_mangled(function->name) || scope_damage__is_cold_part(function->name) ||
	    !memmem(function->name, strlen(function->name), search->hint, search->hint_len))
		return 0;
	*shown = scope_functions__readable(search->functions, function->name);
	if (!*shown)
		return -ENOMEM;
	*len = without_parameters(*shown);
	return is_called(*shown, strlen(*shown), search->word->text) ||
	       is_called(*shown, *len, search->word->text);
}

static int matches_glob(const struct search *search, const struct scope_function *function,
			const char **shown, size_t *len)
{
	const char *pattern = search->word->pattern;
	bool matches;
	char *cut;

	*shown = function->name;
	*len = strlen(function->name);
	if (function->is_indirect ||
	    (scope_damage__is_cold_part(function->name) && !strstr(pattern, ".cold")))
		return 0;
	if (!fnmatch(pattern, function->name, 0))
		return 1;
	if (!is_mangled(function->name) || !search->readable)
		return 0;
	*shown = scope_functions__readable(search->functions, function->name);
	if (!*shown)
		return -ENOMEM;
	*len = without_parameters(*shown);
	if (!fnmatch(pattern, *shown, 0))
		return 1;
	cut = strndup(*shown, *len);
	matches = cut && !fnmatch(pattern, cut, 0);
	free(cut);
	return cut ? matches : -ENOMEM;
}

static int add_match(struct search *search, const struct scope_function *function,
		     const char *shown, size_t len)
{
	struct scope_matches *found = search->found;

	/* ignore aliases: symbols with the address of the previous match */
	if (found->nr && found->matches[found->nr - 1].function->address == function->address)
		return 0;
	if (found->nr == search->room) {
		size_t room = search->room ? 2 * search->room : 16;
		struct scope_match *more = reallocarray(found->matches, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		found->matches = more;
		search->room = room;
	}
	found->matches[found->nr] =
		(struct scope_match){ .function = function, .shown = strndup(shown, len) };
	return found->matches[found->nr].shown ? (found->nr++, 0) : -ENOMEM;
}

static int find_all(struct search *search, compare_fn *compare)
{
	const struct scope_function *all;
	size_t nr, len;
	int err = 0;

	all = scope_functions__all(search->functions, &nr);
	for (size_t i = 0; i < nr && err >= 0; i++) {
		const char *shown;

		if (!(i % 1024) && interrupt__is_due())
			return -EINTR;
		err = compare(search, &all[i], &shown, &len);
		if (err > 0)
			err = add_match(search, &all[i], shown, len);
	}
	return err < 0 ? err : 0;
}

/* ---- several functions with the same name ---- */

static int by_name(const void *a, const void *b)
{
	const struct scope_match *const *x = a, *const *y = b;

	return strcmp((*x)->shown, (*y)->shown);
}

/*
 * Appends parameters to the shown name if the demangled name contains them. Otherwise, appends the
 * version or, if the symbol has no version, the address.
 */
static int make_distinct(struct scope_functions *functions, struct scope_match *match)
{
	const char *name = match->function->name, *version = match->function->version;
	const char *readable = is_mangled(name) ? scope_functions__readable(functions, name) : name;
	char *shown = NULL;

	if (readable && strcmp(readable, name) && without_parameters(readable) < strlen(readable))
		shown = strdup(readable);
	else if (version && asprintf(&shown, "%s@%s", name, version) < 0)
		shown = NULL;
	else if (!version && readable &&
		 asprintf(&shown, "%s@%#llx", match->shown,
			  (unsigned long long)match->function->address) < 0)
		shown = NULL;
	if (!shown)
		return -ENOMEM;
	free(match->shown);
	match->shown = shown;
	return 0;
}

static int make_all_distinct(struct scope_functions *functions, struct scope_matches *found)
{
	struct scope_match **sorted = calloc(found->nr, sizeof(*sorted));
	bool *is_double = calloc(found->nr, sizeof(*is_double));
	int err = sorted && is_double ? 0 : -ENOMEM;

	for (size_t i = 0; i < found->nr && !err; i++)
		sorted[i] = &found->matches[i];
	if (!err)
		qsort(sorted, found->nr, sizeof(*sorted), by_name);
	for (size_t i = 1; i < found->nr && !err; i++)
		if (!strcmp(sorted[i - 1]->shown, sorted[i]->shown))
			is_double[i - 1] = is_double[i] = true;
	for (size_t i = 0; i < found->nr && !err; i++)
		if (is_double[i])
			err = make_distinct(functions, sorted[i]);
	free(is_double);
	free(sorted);
	return err;
}

/*
 * Returns whether the user's word can be the name of a function in the source. A word with glob
 * characters is usually not such a name, but "f(char*)" is one. If the word cannot be such a name,
 * has_source_name() is not used, because it demangles many names, which is slow.
 */
static bool can_be_source_name(const struct scope_word *word)
{
	return !scope_word__is_glob(word) || strpbrk(word->text, ":(<") ||
	       strstr(word->text, "operator");
}

int scope_match__find(struct scope_functions *functions, const struct scope_word *word,
		      struct scope_matches *matches)
{
	struct search search = { .functions = functions, .word = word, .found = matches };
	int err;

	*matches = (struct scope_matches){ 0 };
	search.hint_len = find_hint(word->text, &search.hint);
	err = find_all(&search, has_name);
	if (!err && !matches->nr && can_be_source_name(word))
		err = find_all(&search, has_source_name);
	if (!err && !matches->nr && scope_word__is_glob(word)) {
		/*
		 * only demangled names contain these characters, so compare with demangled names,
		 * too
		 */
		search.readable = strpbrk(word->pattern, ":(<~ ");
		err = find_all(&search, matches_glob);
		if (!err && !matches->nr && !search.readable) {
			search.readable = true;
			err = find_all(&search, matches_glob);
		}
	}
	if (!err && matches->nr > 1)
		err = make_all_distinct(functions, matches);
	if (err)
		scope_matches__free(matches);
	return err;
}

void scope_matches__free(struct scope_matches *matches)
{
	for (size_t i = 0; i < matches->nr; i++)
		free(matches->matches[i].shown);
	free(matches->matches);
	*matches = (struct scope_matches){ 0 };
}

static void offer_readable(struct scope_functions *functions, struct near_names *near,
			   const char *wanted, const char *name)
{
	const char *readable = scope_functions__readable(functions, name);
	char *cut = readable ? strndup(readable, without_parameters(readable)) : NULL;

	if (cut)
		near_names__offer(near, wanted, cut);
	free(cut);
}

/* The maximum number of names that are demangled to find suggestions. Demangling is slow. */
#define MOST_READABLE 20000

void scope_match__offer(struct scope_functions *functions, struct near_names *near,
			const char *wanted)
{
	size_t nr, nr_readable = 0;
	const struct scope_function *all = scope_functions__all(functions, &nr);

	for (size_t i = 0; i < nr; i++) {
		if (!is_mangled(all[i].name))
			near_names__offer(near, wanted, all[i].name);
		else if (nr_readable++ < MOST_READABLE)
			offer_readable(functions, near, wanted, all[i].name);
	}
}
