// SPDX-License-Identifier: GPL-2.0-only
/*
 * Determines which names belong to which event. The first byte determines the number of events and
 * what is tested: -G, with one list of names per line, or --hist and the event of --outliers, with
 * one name per line. The results are compared with a slow parser.
 */
#include <stdint.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "tests/fuzz/stat-words.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"

#define EVENTS_MAX 6

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	stat_words__init();
	return 0;
}

static void add_events(struct stat_options *options, int nr)
{
	static const char *const texts[EVENTS_MAX + 1] = {
		"",
		"cs",
		"user_time,cs",
		"cs,cs,cycles",
		"duration_time,cs,cycles/name=x/,cs:u",
		"cs,faults,cs:u,cs,cs",
		"{cs,faults},cycles,cycles:u,user_time,cs"
	};
	struct parse_error error = PARSE_ERROR_INIT;
	struct event_env env = { .roots = &machine.roots };

	options->evlist = evlist__new();
	if (!options->evlist || (nr && parse_events(options->evlist, texts[nr], &env, &error)))
		abort();
	parse_error__free(&error);
}

/* ---- -G ---- */

/*
 * Returns the names of all lists in their order, including empty ones, or -1 if a name is not a
 * cgroup or if there are too many.
 */
static int read_names(char *lists, const char **names, int nr_events)
{
	static const char *const groups[] = { "/", "a", "/a", "a/b", "/a/b", "c", "/c" };
	char *word;
	int nr = 0;

	for (char *at = lists; *at; at++)
		*at = *at == '\n' ? ',' : *at;
	while ((word = strsep(&lists, ","))) {
		bool there = !*word;

		for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
			there |= !strcmp(word, groups[i]);
		if (!there || (*word && nr >= nr_events))
			return -1;
		if (nr < nr_events)
			names[nr] = word;
		nr++;
	}
	return nr;
}

/*
 * Returns false if the slow parser cannot handle the input: names in another form, such as "a//b".
 */
static bool is_plain(const char *text)
{
	return !strstr(text, "//") && !strstr(text, "/,") && !strstr(text, "/\n") &&
	       !strchr(text, '.') && *text && text[strlen(text) - 1] != '/';
}

static void compare_names(const struct stat_options *options, char *lists, int code)
{
	const char *names[EVENTS_MAX] = { NULL };
	int nr_events = options->evlist->nr, nr = read_names(lists, names, nr_events);

	if ((nr < 0 || !nr_events) != (code != 0))
		abort();
	for (int event = 0; !code && event < nr_events; event++) {
		const struct cgroup *cgroup = options->evlist->entries[event]->cgroup;
		const char *name = nr == 1 ? names[0] : names[event],
			   *given = cgroup ? cgroup->name : NULL;

		if (!name || !*name ? given != NULL : !given || strcmp(name, given) != 0)
			abort();
	}
}

static void try_cgroups(struct raw_options *raw, char *text)
{
	char *lists = strdup(text), *rest = lists, *list, *copy = strdup(text);
	bool plain = is_plain(text);
	int code = 0, given = 0;

	if (!lists || !copy)
		abort();
	while (!code && (list = strsep(&rest, "\n")))
		code = stat_cgroups__add(raw->to, list, &given);
	if (code && code != EXIT_USAGE)
		abort();
	if (plain)
		compare_names(raw->to, copy, code);
	free(lists);
	free(copy);
}

/* ---- --hist, --outliers ---- */

/* Returns NULL if no event has this name. */
static const struct evsel *find_slowly(const struct evlist *evlist, const char *name)
{
	for (int i = 0; i < evlist->nr; i++)
		if (evlist->entries[i]->tool == TOOL_NONE &&
		    (!*name || !strcmp(evlist->entries[i]->name, name)))
			return evlist->entries[i];
	return NULL;
}

static void try_hist(struct raw_options *raw, char *text)
{
	raw->hist = text;
	if (stat_outliers__resolve_hist(raw) !=
		    (find_slowly(raw->to->evlist, text) ? 0 : EXIT_USAGE) ||
	    raw->to->count.hist != find_slowly(raw->to->evlist, text))
		abort();
}

static void try_outliers(struct raw_options *raw, char *text)
{
	const struct evsel *found;
	struct strbuf value = STRBUF_INIT;
	int code;

	strbuf__addf(&value, "5,%s", text);
	raw->outliers = value.text;
	code = stat_outliers__resolve(raw);
	found = find_slowly(raw->to->evlist, text);
	if (code && code != EXIT_USAGE)
		abort();
	if (!code &&
	    (!*text || (raw->to->outliers.evsel != found) || (!found && strcmp(text, "time") != 0)))
		abort();
	strbuf__free(&value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(struct raw_options * raw,
				     char *text) = { try_cgroups, try_hist, try_outliers };
	struct stat_options options = { .log_fd = -1, .metrics = STAT_METRICS_INIT };
	struct raw_options raw = { .to = &options };
	char *text;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		abort();
	add_events(&options, data[0] / 3 % (EVENTS_MAX + 1));
	told__begin();
	tries[data[0] % 3](&raw, text);
	told__end();
	strbuf__free(&told.text);
	stat_options__free(&options);
	free(text);
	return 0;
}
