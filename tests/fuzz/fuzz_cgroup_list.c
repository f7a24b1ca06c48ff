// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses any string as a list of cgroups (--for-each-cgroup, -G) in an invented hierarchy. The
 * names must be those between the commas, each once. Patterns must find exactly the matching
 * cgroups. No name may lead out of the hierarchy.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/machine.h"
#include "util/base/strbuf.h"
#include "util/machine/cgroup/cgroup-list.h"
#include "util/machine/cgroup/cgroup.h"

static struct cgroup_mount mount;
static struct cgroup_list all;

static void free_list(void)
{
	cgroup_list__free(&all);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const groups[] = { "a/f",	"a/b/f",
					      "a/b2/f", "system.slice/ssh.service/f",
					      "a+/f",	"x[1]/f" };

	(void)argc;
	(void)argv;
	machine__init();
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "sys/%s", groups[i]);
		fake_roots__file(&machine, path, "");
	}
	mount.dir = machine.sysfs;
	if (cgroup_list__all(&mount, &all) || all.nr != 8)
		abort();
	atexit(free_list);
	return 0;
}

static bool has(const struct cgroup_list *list, int nr, const char *name)
{
	for (int i = 0; i < nr; i++)
		if (!strcmp(list->names[i], name))
			return true;
	return false;
}

/* Checks that @list contains the words of @text in their order, without repetitions. */
static void check_names(const char *text, const struct cgroup_list *list)
{
	char *words = strdup(text), *rest = words, *word;
	int nr = 0;

	while (words && (word = strsep(&rest, ","))) {
		word = *word ? word : (char *)"/";
		if (has(list, nr, word))
			continue;
		if (nr == list->nr || strcmp(list->names[nr++], word) != 0)
			abort();
	}
	if (!words || nr != list->nr)
		abort();
	free(words);
}

static void check_patterns(const char *text, const struct cgroup_list *list)
{
	struct cgroup_patterns *patterns;
	struct strbuf why = STRBUF_INIT;
	int nr = 0;

	if (cgroup_patterns__new(text, &patterns, &why))
		abort();
	for (int i = 0; i < all.nr; i++) {
		if (!cgroup_patterns__match(patterns, all.names[i]))
			continue;
		if (nr == list->nr || strcmp(list->names[nr++], all.names[i]) != 0)
			abort();
	}
	if (nr != list->nr)
		abort();
	cgroup_patterns__free(patterns);
	strbuf__free(&why);
}

static bool leads_up(const char *path)
{
	return strstr(path, "/../") || strstr(path, "//") ||
	       (strlen(path) >= 3 && !strcmp(path + strlen(path) - 3, "/.."));
}

static void open_group(const char *name)
{
	struct strbuf why = STRBUF_INIT;
	struct cgroup *cgroup;
	int err = cgroup__open(&mount, name, &cgroup, &why);

	if (err ? !why.len :
		  leads_up(cgroup->path) || (*cgroup->path && !has(&all, all.nr, cgroup->path + 1)))
		abort();
	if (!err)
		cgroup__close(cgroup);
	strbuf__free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct strbuf why = STRBUF_INIT;
	struct cgroup_list list;
	int err;

	if (!text)
		abort();
	err = cgroup_list__parse(&mount, text, &list, &why);
	if (err ? list.nr || !why.len || !cgroup_list__has_patterns(text) : why.len != 0)
		abort();
	if (!err && cgroup_list__has_patterns(text))
		check_patterns(text, &list);
	else if (!err)
		check_names(text, &list);
	for (int i = 0; i < list.nr; i++)
		open_group(list.names[i]);
	cgroup_list__free(&list);
	strbuf__free(&why);
	free(text);
	return 0;
}
