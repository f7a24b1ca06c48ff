// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any string through the whole event layer: on roots with nothing in them, or on the machine of tests/data/machines that FUZZ_MACHINE
 * names, with the vendors' events of tests/data/vendor.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/machine-files.h"
#include "util/base/sysfs.h"
#include "util/event/evlist.h"
#include "util/event/evsel.h"
#include "util/event/parse-events.h"
#include "util/event/vendor.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fake_roots machine;
static struct sysroots roots = { .sysfs = "/nonexistent", .procfs = "/nonexistent", .tracefs = "/nonexistent" };
static struct vendor *vendor;

static void remove_machine(void)
{
	vendor__free(vendor);
	if (*machine.dir)
		fake_roots__remove(&machine);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_MACHINE");

	(void)argc;
	(void)argv;
	if (name) {
		fake_roots__load(&machine, name);
		roots = machine.roots;
	}
	vendor = vendor__new(name ? "tests/data/vendor/x86" : NULL, &roots);
	atexit(remove_machine);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_env env = { .roots = &roots, .vendor = vendor, .bpf_prog = size & 1 };
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf message = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	char *text = strndup((const char *)data, size);
	int err;

	if (!text || !evlist)
		abort();
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
