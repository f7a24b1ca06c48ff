// SPDX-License-Identifier: GPL-2.0-only
/* Stores events, filters and cgroups in the order of the command line. */
#include "builtin/stat/stat-raw.h"

#include <stdlib.h>
#include <string.h>

#include "util/event/vendor.h"

/*
 * Skips quotes around the whole argument of -e, which are there if a script quotes twice. perf stat
 * ignores them, too. Moves *@value past the first quote, and returns the length without quotes.
 */
static size_t unquote(const char **value)
{
	const char *text = *value + strspn(*value, " ");
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		len--;
	if (len < 3 || (*text != '"' && *text != '\'') || strchr(text + 1, *text) != text + len - 1)
		return strlen(*value);
	*value = text + 1;
	return len - 2;
}

const char *raw_options__given(const struct raw_options *raw, const struct option_row *row)
{
	return raw->given[row - option_rows];
}

void raw_options__add_word(struct raw_options *raw, enum event_word_kind kind, const char *text)
{
	size_t len = kind == WORD_EVENT ? unquote(&text) : strlen(text);
	struct event_word *words =
		reallocarray(raw->words, (size_t)raw->nr_words + 1, sizeof(*words));
	char *copy = strndup(text, len);

	/*
	 * as in perf, a list of --pfm-events without any event does not replace the default events
	 */
	raw->has_events |= kind == WORD_EVENT || (kind == WORD_PFM && text[strspn(text, ",{}")]);
	raw->to->has_points |= kind == WORD_SCOPE || kind == WORD_START || kind == WORD_STOP;
	if (words)
		raw->words = words;
	if (words && copy) {
		raw->words[raw->nr_words++] = (struct event_word){ kind, copy };
	} else {
		raw->words_failed = true;
		free(copy);
	}
}

bool raw_options__has_word(const struct raw_options *raw, enum event_word_kind kind)
{
	for (int i = 0; i < raw->nr_words; i++)
		if (raw->words[i].kind == kind)
			return true;
	return false;
}

void raw_options__free(struct raw_options *raw)
{
	for (int i = 0; i < raw->nr_words; i++)
		free(raw->words[i].text);
	free(raw->words);
	free(raw->cputype_pmu);
	free(raw->bpf_events);
	free(raw->bpf_events_from);
	vendor__free(raw->vendor);
}
