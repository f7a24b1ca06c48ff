// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives each scope (scope.h) a unique name. The name identifies the scope's rows in the report, and
 * the scope's series in the output of `pstat export`. Two values of --scope can lead to the same
 * name. For example, if one value matches only over(int), and another matches only over(long), both
 * scopes are called "prog:over". The functions `main` of /old/prog and /new/prog are both called
 * "prog:main".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/machine/scope/scope.h"

/* Returns the number of scopes that the --scope option with the index @selector added. */
static int count_scopes(const struct scope_list *list, int selector)
{
	int nr = 0;

	for (int i = 0; i < list->nr; i++)
		nr += list->scopes[i].selector == selector;
	return nr;
}

/* Returns whether the user's text for @scope identifies only this scope. */
static bool has_own_text(const struct scope_list *list, const struct scope *scope)
{
	for (int i = 0; i < list->nr_selectors; i++)
		if (i != scope->selector && !strcmp(list->texts[i], list->texts[scope->selector]))
			return false;
	return count_scopes(list, scope->selector) == 1;
}

static bool has_namesake(const struct scope_list *list, const struct scope *scope)
{
	for (int i = 0; i < list->nr; i++)
		if (list->scopes[i].selector != scope->selector &&
		    !strcmp(list->scopes[i].name, scope->name))
			return true;
	return false;
}

/*
 * Returns a new name for @scope: the user's text, which can contain a path or parameters that the
 * old name lacks. If this text does not identify @scope uniquely, returns the old name with the
 * number of the --scope option, for example "prog:main#2". Returns NULL if memory ran out.
 */
static char *make_name(const struct scope_list *list, const struct scope *scope)
{
	struct strbuf name = STRBUF_INIT;

	if (has_own_text(list, scope))
		strbuf__adds(&name, list->texts[scope->selector]);
	else
		strbuf__addf(&name, "%s#%d", scope->name, scope->selector + 1);
	return strbuf__detach(&name);
}

int scope_list__distinguish(struct scope_list *list)
{
	char **names;
	int err = 0;

	if (list->nr_selectors < 2)
		return 0;
	names = calloc((size_t)list->nr, sizeof(*names));
	if (!names)
		return -ENOMEM;
	for (int i = 0; i < list->nr && !err; i++) {
		if (!has_namesake(list, &list->scopes[i]))
			continue;
		names[i] = make_name(list, &list->scopes[i]);
		err = names[i] ? 0 : -ENOMEM;
	}
	/* replace the names only now, because has_namesake() compares the old names */
	for (int i = 0; i < list->nr; i++) {
		if (names[i] && !err) {
			free(list->scopes[i].name);
			list->scopes[i].name = names[i];
		} else {
			free(names[i]);
		}
	}
	free(names);
	return err;
}
