// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/cgroup/cgroup-list.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/machine/cgroup/cgroup-dir.h"
#include "util/machine/cgroup/cgroup.h"

/* ---- lists ---- */

int cgroup_list__add(struct cgroup_list *list, const char *name)
{
	/* the room is 0 or a power of two, so the list is not full if `nr` is neither */
	if (!(list->nr & (list->nr - 1))) {
		size_t room = list->nr ? (size_t)list->nr * 2 : 1;
		char **names = realloc(list->names, sizeof(*names) * room);

		if (!names)
			return -ENOMEM;
		list->names = names;
	}
	list->names[list->nr] = strdup(name);
	return list->names[list->nr] ? (list->nr++, 0) : -ENOMEM;
}

void cgroup_list__free(struct cgroup_list *list)
{
	for (int i = 0; i < list->nr; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct cgroup_list)CGROUP_LIST_INIT;
}

bool cgroup_list__has_patterns(const char *text)
{
	return strpbrk(text, "{}[]()|*+?^$");
}

struct place {
	char **name;
	int nr; /* index in the list */
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return strcmp(*a->name, *b->name) ?: a->nr - b->nr;
}

/* Keeps only the first of several equal names. */
static int drop_repeated(struct cgroup_list *list)
{
	struct place *places = calloc((size_t)list->nr + 1, sizeof(*places));
	int kept = 0;

	if (!places)
		return -ENOMEM;
	for (int i = 0; i < list->nr; i++)
		places[i] = (struct place){ .name = &list->names[i], .nr = i };
	qsort(places, (size_t)list->nr, sizeof(*places), compare_places);
	for (int i = list->nr - 1; i > 0; i--) {
		if (strcmp(*places[i].name, *places[i - 1].name) != 0)
			continue;
		free(*places[i].name);
		*places[i].name = NULL;
	}
	free(places);
	for (int i = 0; i < list->nr; i++)
		if (list->names[i])
			list->names[kept++] = list->names[i];
	list->nr = kept;
	return 0;
}

int cgroup_list__all(const struct cgroup_mount *mount, struct cgroup_list *all)
{
	*all = (struct cgroup_list)CGROUP_LIST_INIT;
	return cgroup_dir__list(mount->dir, all);
}

/* ---- patterns ---- */

static const char *without_slashes(const char *name)
{
	const char *rest = name + strspn(name, "/");

	return *rest ? rest : "/";
}

struct cgroup_patterns {
	int nr;
	struct {
		char *name; /* "/" for the root */
		bool is_regex;
		regex_t regex;
	} * words;
};

/*
 * The maximum number of copies of a part of a regular expression. `a\{n\}` is compiled to n copies
 * of `a`, so nested repetitions could need unlimited memory and time. Compiling this many copies
 * takes less than 0.1 s.
 */
#define REPEATED_MAX (1 << 16)

/*
 * Returns whether the product of all repetition counts in @word exceeds REPEATED_MAX. The product
 * is an upper bound on the number of copies that nested repetitions make. @word never contains a
 * comma (as in `a\{2,3\}`), because commas separate names.
 */
static bool repeats_too_often(const char *word)
{
	unsigned long long product = 1;

	while (product <= REPEATED_MAX && (word = strstr(word, "\\{"))) {
		unsigned long long times = strtoull(word + 2, NULL, 10);

		if (times > REPEATED_MAX)
			return true;
		product *= times ?: 1;
		word += 2;
	}
	return product > REPEATED_MAX;
}

static int add_word(struct cgroup_patterns *p, const char *word, bool is_regex, struct strbuf *why)
{
	char text[256];
	int err;

	p->words[p->nr].name = strdup(without_slashes(word));
	if (!p->words[p->nr].name)
		return -ENOMEM;
	if (is_regex && repeats_too_often(word)) {
		strbuf__addf(why,
			     "'%s' repeats parts too often: the product of all repetition counts "
			     "may be at most %d",
			     word, REPEATED_MAX);
		free(p->words[p->nr].name);
		return -EINVAL;
	}
	if (*word && is_regex) {
		err = regcomp(&p->words[p->nr].regex, word, REG_NOSUB);
		if (err) {
			regerror(err, &p->words[p->nr].regex, text, sizeof(text));
			strbuf__addf(why, "'%s' is not a regular expression: %s", word, text);
			free(p->words[p->nr].name);
			return -EINVAL;
		}
		p->words[p->nr].is_regex = true;
	}
	p->nr++;
	return 0;
}

int cgroup_patterns__new(const char *text, struct cgroup_patterns **patterns, struct strbuf *why)
{
	struct cgroup_patterns *p = calloc(1, sizeof(*p));
	char *words = strdup(text), *rest = words, *word;
	int err = p && words ? 0 : -ENOMEM;

	*patterns = NULL;
	if (p)
		p->words = calloc(strlen(text) + 1, sizeof(*p->words));
	if (!err && !p->words)
		err = -ENOMEM;
	while (!err && (word = strsep(&rest, ",")))
		err = add_word(p, word, cgroup_list__has_patterns(text), why);
	free(words);
	if (err)
		cgroup_patterns__free(p);
	else
		*patterns = p;
	return err;
}

bool cgroup_patterns__match(const struct cgroup_patterns *p, const char *path)
{
	for (int i = 0; i < p->nr; i++)
		if (!strcmp(p->words[i].name, path) ||
		    (p->words[i].is_regex && !regexec(&p->words[i].regex, path, 0, NULL, 0)))
			return true;
	return false;
}

void cgroup_patterns__free(struct cgroup_patterns *p)
{
	if (!p)
		return;
	for (int i = 0; i < p->nr; i++) {
		if (p->words[i].is_regex)
			regfree(&p->words[i].regex);
		free(p->words[i].name);
	}
	free(p->words);
	free(p);
}

/* ---- the argument of --for-each-cgroup ---- */

static int find_matching(const struct cgroup_mount *mount, const char *text,
			 struct cgroup_list *list, struct strbuf *why)
{
	struct cgroup_list all = CGROUP_LIST_INIT;
	struct cgroup_patterns *patterns;
	int err = cgroup_patterns__new(text, &patterns, why);

	err = err ?: cgroup_list__all(mount, &all);
	for (int i = 0; !err && i < all.nr; i++)
		if (cgroup_patterns__match(patterns, all.names[i]))
			err = cgroup_list__add(list, all.names[i]);
	if (!err && !list->nr) {
		strbuf__addf(why, "none of the %d cgroups below %s matches", all.nr, mount->dir);
		err = -ENOENT;
	}
	list->by_pattern = true;
	list->too_long = all.too_long;
	cgroup_patterns__free(patterns);
	cgroup_list__free(&all);
	return err;
}

static int split(char *words, struct cgroup_list *list)
{
	char *rest = words, *word;
	int err = 0;

	while (!err && (word = strsep(&rest, ",")))
		err = cgroup_list__add(list, *word ? word : "/");
	return err ?: drop_repeated(list);
}

int cgroup_list__parse(const struct cgroup_mount *mount, const char *text, struct cgroup_list *list,
		       struct strbuf *why)
{
	char *words = strdup(text);
	int err = -ENOMEM;

	*list = (struct cgroup_list)CGROUP_LIST_INIT;
	if (words && cgroup_list__has_patterns(text))
		err = find_matching(mount, text, list, why);
	else if (words)
		err = split(words, list);
	free(words);
	if (err)
		cgroup_list__free(list);
	return err;
}
