// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses any string as a list of CPUs, and compares the result with that of a slow parser. If a
 * list is accepted, it is formatted and parsed again, and the result must be the same.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/machine/cpu/cpumap.h"

#define IDS 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool in_list[IDS];

/* Parses the whole @word as a CPU number. Returns -1 if it is not one. */
static long id_of(const char *word)
{
	if (!*word || word[strspn(word, "0123456789")])
		return -1;
	word += strspn(word, "0");
	return strlen(word) > 5 || atol(word) >= IDS ? -1 : atol(word);
}

static bool note_word(char *word)
{
	char *dash = strchr(word, '-');
	long first, last;

	if (dash)
		*dash++ = '\0';
	first = id_of(word);
	last = dash ? id_of(dash) : first;
	if (first < 0 || last < first)
		return false;
	for (long id = first; id <= last; id++)
		in_list[id] = true;
	return true;
}

/* Fills in_list. Returns false if @text is not a list. A list may end with a comma. */
static bool read_slowly(const char *text)
{
	char *words = strdup(text), *rest = words, *word;
	bool good = true;

	if (!words)
		abort();
	memset(in_list, 0, sizeof(in_list));
	for (int nr = 0; good && (word = strsep(&rest, ",")); nr++)
		if (*word || rest || !nr)
			good = note_word(word);
	free(words);
	return good;
}

static void compare(const struct cpumap *map)
{
	int nr = 0;

	for (int id = 0; id < IDS; id++) {
		if (in_list[id] && map->ids[nr] != id)
			abort();
		if (cpumap__index(map, id) != (in_list[id] ? nr : -1))
			abort();
		nr += in_list[id];
		if (nr == map->nr && id > cpumap__last(map))
			break;
	}
	if (nr != map->nr || cpumap__is_any(map))
		abort();
}

static bool same(const struct cpumap *a, const struct cpumap *b)
{
	return a->nr == b->nr && !memcmp(a->ids, b->ids, sizeof(*a->ids) * (size_t)a->nr);
}

static void write_and_read(const struct cpumap *map)
{
	struct cpumap *again, *both;
	struct strbuf text = STRBUF_INIT;

	cpumap__format(map, &text);
	if (cpumap__parse(text.text, &again) || !same(map, again))
		abort();
	both = cpumap__intersect(map, again);
	if (!both || !same(map, both))
		abort();
	cpumap__free(both);
	cpumap__free(again);
	strbuf__free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct strbuf why = STRBUF_INIT;
	struct cpumap *map;
	int err;

	if (!text)
		abort();
	err = cpumap__parse(text, &map);
	if (err && (map || (err != -EINVAL && err != -ERANGE)))
		abort();
	if (!err != read_slowly(text))
		abort();
	cpumap__why_not(text, &why);
	if (!err != !why.len)
		abort();
	strbuf__free(&why);
	if (!err) {
		compare(map);
		write_and_read(map);
	}
	cpumap__free(map);
	free(text);
	return 0;
}
