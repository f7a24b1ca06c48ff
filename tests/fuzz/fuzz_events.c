// SPDX-License-Identifier: GPL-2.0-only
/* Any string through the whole event layer, on roots with nothing in them or those that FUZZ_ROOT names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char sysfs[4096], tracefs[4096];
	const char *root = getenv("FUZZ_ROOT") ?: "/nonexistent";
	struct sysroots roots = { .sysfs = sysfs, .procfs = "/nonexistent", .tracefs = tracefs };
	struct event_env env = { .roots = &roots, .bpf_prog = size & 1 };
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf message = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	char *text = strndup((const char *)data, size);
	int err;

	if (!text || !evlist)
		abort();
	snprintf(sysfs, sizeof(sysfs), "%s/sys", root);
	snprintf(tracefs, sizeof(tracefs), "%s/tracing", root);
	err = parse_events(evlist, text, &env, &error);
	if (err && (evlist->nr || !parse_error__is_set(&error) || error.column > strlen(text)))
		abort();
	if (!err && (!evlist->nr || parse_error__is_set(&error)))
		abort();
	for (int i = 0; i < evlist->nr; i++)
		if (!evlist->entries[i]->name || evlist->entries[i]->idx != i || evlist->entries[i]->leader->idx > i)
			abort();
	parse_error__format(&error, &message);
	strbuf__free(&message);
	parse_error__free(&error);
	evlist__free(evlist);
	free(text);
	return 0;
}
