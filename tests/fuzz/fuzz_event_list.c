// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any strings as the patterns of `pstat list`, one per line, on a machine made of files. The
 * first byte also selects kinds of events. The list must be what a slow matcher selects from all
 * events, in their order.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/machine.h"
#include "util/base/strbuf.h"
#include "util/event/event-list.h"
#include "util/event/parse-events.h"

#define GLOBS_MAX 8

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	machine__init();
	fake_roots__hybrid(&machine);
	fake_roots__pmu_file(&machine, "uncore_imc_0", "type", "20\n");
	fake_roots__pmu_file(&machine, "uncore_imc_0", "events/cas", "event=0x04\n");
	fake_roots__file(&machine, "tracing/events/sched/sched_switch/id", "316\n");
	fake_roots__file(&machine, "tracing/events/irq/softirq_entry/id", "20\n");
	return 0;
}

struct asked {
	unsigned int kinds;
	const char *globs[GLOBS_MAX];
	int nr_globs;
	bool check; /* take() uses the slow matcher */
	bool known; /* the slow matcher supports all patterns */
	struct strbuf names;
};

#define NAME_MAX_LEN 255

/*
 * Handles '*' and '?' as a shell does: after each character of the pattern, it knows which prefixes
 * of the text match.
 */
static bool matches_slowly(const char *glob, const char *text)
{
	bool ends[NAME_MAX_LEN + 1] = { true }; /* indexed by length */
	size_t len = strlen(text);

	if (len > NAME_MAX_LEN)
		abort();
	for (; *glob; glob++) {
		for (size_t i = 1; *glob == '*' && i <= len; i++)
			ends[i] |= ends[i - 1];
		for (size_t i = len; *glob != '*' && i > 0; i--)
			ends[i] = ends[i - 1] &&
				  (*glob == '?' || tolower((unsigned char)*glob) ==
							   tolower((unsigned char)text[i - 1]));
		ends[0] &= *glob == '*';
	}
	return ends[len];
}

static bool contains_slowly(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (; strlen(text) >= len; text++)
		if (!strncasecmp(text, word, len))
			return true;
	return false;
}

static bool is_asked_for(const struct asked *asked, const struct listed_event *event)
{
	const char *const texts[] = { event->name, event->alias, event->pmu, event->topic };

	if (asked->kinds >> event->kind & 1)
		return true;
	for (int i = 0; i < asked->nr_globs; i++) {
		const char *glob = asked->globs[i];

		for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++)
			if (texts[t] && *texts[t] &&
			    (strpbrk(glob, "*?") ? matches_slowly(glob, texts[t]) :
						   contains_slowly(texts[t], glob)))
				return true;
	}
	return false;
}

static int take(const struct listed_event *event, void *arg)
{
	struct asked *asked = arg;

	if (!event->name || !*event->name || event->kind >= NR_EVENT_KINDS || !event->brief ||
	    !event->encoding)
		abort();
	if (!asked->check || is_asked_for(asked, event))
		strbuf__addf(&asked->names, "%d %s\n", (int)event->kind, event->name);
	return 0;
}

static void list(struct asked *asked, const struct event_query *query)
{
	struct event_env env = { .roots = &machine.roots };
	struct strbuf notes = STRBUF_INIT;

	if (event_list__for_each(&env, query, &notes, take, asked))
		abort();
	strbuf__free(&notes);
}

static void compare(const struct asked *asked)
{
	struct asked slow = *asked;
	const struct event_query all = { .kinds = (1U << NR_EVENT_KINDS) - 1 };

	slow.check = true;
	slow.names = (struct strbuf)STRBUF_INIT;
	list(&slow, &all);
	if (asked->names.len != slow.names.len ||
	    strcmp(asked->names.text ?: "", slow.names.text ?: "") != 0)
		abort();
	strbuf__free(&slow.names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct asked asked = { .known = true, .names = STRBUF_INIT };
	char *text = size ? strndup((const char *)data + 1, size - 1) : NULL, *rest = text, *word;
	struct event_query query = { .kinds = size ? data[0] & ((1U << NR_EVENT_KINDS) - 1) : 0,
				     .globs = asked.globs };

	if (!text)
		return 0;
	asked.kinds = query.kinds;
	while (asked.nr_globs < GLOBS_MAX && (word = strsep(&rest, "\n"))) {
		asked.globs[asked.nr_globs++] = word;
		for (const char *at = word; *at; at++)
			asked.known &= isprint((unsigned char)*at) && *at != '[' && *at != '\\';
	}
	query.nr_globs = asked.nr_globs;
	list(&asked, &query);
	if (asked.known)
		compare(&asked);
	strbuf__free(&asked.names);
	free(text);
	return 0;
}
