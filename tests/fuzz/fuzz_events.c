// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses any string as a list of events, on an empty machine, on the machine in tests/data/machines
 * that FUZZ_MACHINE names, or on a machine with two kinds of core, with the vendors' events in
 * tests/data/vendor. The programs with the symbols of breakpoints are in corpus-elf.
 */
#include <stdbool.h>
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

static struct fake_roots machine, hybrid;
static struct sysroots nowhere = { .sysfs = "/nonexistent",
				   .procfs = "/nonexistent",
				   .tracefs = "/nonexistent" };
static struct vendor *vendors[2]; /* for the chosen machine, or none; for the hybrid one */

static void remove_machines(void)
{
	vendor__free(vendors[0]);
	vendor__free(vendors[1]);
	if (*machine.dir) {
		fake_roots__remove(&machine);
		fake_roots__remove(&hybrid);
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_MACHINE");

	(void)argc;
	(void)argv;
	if (name) {
		fake_roots__load(&machine, name);
		fake_roots__load(&hybrid, "hybrid");
		vendors[1] = vendor__new(NULL, &hybrid.roots);
	}
	vendors[0] = vendor__new(name ? "tests/data/vendor/x86" : NULL,
				 name ? &machine.roots : &nowhere);
	atexit(remove_machines);
	return 0;
}

/* The length of the input selects the machine and the program. */
static struct event_env choose(size_t size)
{
	static const struct symbol_source sources[] = {
		{ .file = "tests/fuzz/corpus-elf/shared", .running = true, .bias = 0x555500000000 },
		{ .file = "tests/fuzz/corpus-elf/symbols" },
		{ .why_not = "there is no program" },
	};
	bool is_hybrid = *machine.dir && (size & 2);

	return (struct event_env){
		.roots = !*machine.dir ? &nowhere :
			 is_hybrid     ? &hybrid.roots :
					 &machine.roots,
		.vendor = vendors[is_hybrid],
		.symbols = &sources[size % 3],
		.bpf_prog = size & 1,
	};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_env env = choose(size);
	struct parse_error error = PARSE_ERROR_INIT;
	struct strbuf message = STRBUF_INIT;
	struct evlist *evlist = evlist__new();
	char *text = strndup((const char *)data, size);
	int err;

	if (!text || !evlist)
		abort();
	err = parse_events(evlist, text, &env, &error);
	/* The column is a position in the text in which alternatives in braces are expanded. */
	if (err && (evlist->nr || !parse_error__is_set(&error) || error.column > error.text.len))
		abort();
	if (!err && (!evlist->nr || parse_error__is_set(&error)))
		abort();
	for (int i = 0; i < evlist->nr; i++)
		if (!evlist->entries[i]->name || evlist->entries[i]->idx != i ||
		    evlist->entries[i]->leader->idx > i)
			abort();
	parse_error__format(&error, &message);
	strbuf__free(&message);
	parse_error__free(&error);
	evlist__free(evlist);
	free(text);
	return 0;
}
