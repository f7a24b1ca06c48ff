// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses any string as a list of processes and threads in an invented /proc. Each of them must
 * occur once.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/machine.h"
#include "util/base/strbuf.h"
#include "util/machine/task/threadmap.h"

/*
 * Process 7 has one thread, and process 10 has two. /proc also shows process 10 by the ID of its
 * second thread. Process 12 has ended and has not been waited for.
 */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const tasks[] = { "7",	   "7/task/7",	"10",	      "10/task/10",
					     "10/task/11", "11",	"11/task/10", "11/task/11",
					     "12",	   "12/task/12" };

	(void)argc;
	(void)argv;
	machine__init();
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "proc/%s/status", tasks[i]);
		fake_roots__file(&machine, path,
				 strncmp(tasks[i], "12", 2) ? "Name:\tx\nState:\tS (sleeping)\n" :
							      "State:\tZ (zombie)\n");
	}
	return 0;
}

/* Parses the whole @word as an existing ID. Returns 0 if it is not one. */
static pid_t id_of(const char *word)
{
	static const char *const there[] = { "7", "10", "11" };

	if (!*word || word[strspn(word, "0123456789")])
		return 0;
	word += strspn(word, "0");
	for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++)
		if (!strcmp(word, there[i]))
			return atoi(word);
	return 0;
}

static bool add(struct threadmap *map, pid_t id)
{
	return threadmap__has(map, id) || !threadmap__add(map, id);
}

/*
 * Returns false if a word of @text is not an existing ID. Blanks may precede an ID, and a list may
 * end with a comma.
 */
static bool read_slowly(const char *text, bool processes, struct threadmap *map)
{
	char *words = strdup(text), *rest = words, *word;
	bool good = words;

	for (int nr = 0; good && (word = strsep(&rest, ",")); nr++) {
		pid_t id = id_of(word + strspn(word, " \t"));

		if (!*word && !rest && nr)
			break;
		good = id && add(map, id);
		if (good && processes && id >= 10)
			good = add(map, 10) && add(map, 11);
	}
	free(words);
	return good;
}

static bool same(const struct threadmap *a, const struct threadmap *b)
{
	for (int i = 0; i < a->nr; i++)
		if (!threadmap__has(b, a->tids[i]))
			return false;
	return a->nr == b->nr;
}

static void try_list(const char *text, bool processes)
{
	struct threadmap *map = NULL, *slow = threadmap__new();
	struct strbuf why = STRBUF_INIT;
	int err;

	err = (processes ? threadmap__of_pids : threadmap__of_tids)(&machine.roots, text, &map,
								    &why);
	if (!slow || !err != read_slowly(text, processes, slow))
		abort();
	if (err ? map || !why.len : why.len || !same(map, slow))
		abort();
	threadmap__free(map);
	threadmap__free(slow);
	strbuf__free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	try_list(text, true);
	try_list(text, false);
	free(text);
	return 0;
}
