// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any content for the files that the event layer reads. The first byte says which: a PMU's format, the terms of its event, a tracepoint's
 * format, a vendor's JSON, a tracepoint's format behind a line with a filter that the kernel has refused.
 */
#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/machine.h"
#include "tests/fuzz/tries.h"
#include "util/base/strbuf.h"
#include "util/event/ast.h"
#include "util/event/evsel.h"
#include "util/event/filter.h"
#include "util/event/parse-error.h"
#include "util/event/parser.h"
#include "util/event/tp-format.h"
#include "util/event/vendor-json.h"
#include "util/event/vendor.h"
#include "util/machine/pmu-format.h"
#include "util/machine/pmu.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	machine__init();
	return 0;
}

static void try_format(const char *text)
{
	uint64_t config[4] = { 0 };
	struct pmu_format format;

	if (pmu_format__parse(text, &format))
		return;
	if (format.width < 1 || format.width > 256)
		abort();
	pmu_format__set(&format, pmu_format__max(&format), config);
}

static void try_terms(const char *text)
{
	struct parse_error error = PARSE_ERROR_INIT;
	struct ast ast = { 0 };

	if (parser__parse_terms(text, &ast, &error) && !parse_error__is_set(&error))
		abort();
	ast__free(&ast);
	parse_error__free(&error);
}

static void try_tracepoint(const char *text)
{
	struct strbuf fields = STRBUF_INIT;

	fake_roots__file(&machine, "tracing/events/a/b/format", text);
	tp_format__describe(&machine.roots, "a", "b", &fields);
	strbuf__free(&fields);
}

static void try_json(const char *text)
{
	json_t *object = json_loads(text, 0, NULL);
	struct vendor_event event = { 0 };

	if (object && !vendor_json__event(object, object, "topic", &event) && (!event.name || !event.terms))
		abort();
	vendor_json__free(&event);
	json_decref(object);
}

/* The word that is named as no field is none: the format does not have it in a line of its own. */
static void try_filter(const char *text)
{
	static const char told[] = "the tracepoint has no field '";
	size_t len = strcspn(text, "\n");
	char *filter = strndup(text, len);
	struct evsel evsel = { .name = (char *)"a:b", .tracepoint = (char *)"a:b", .filter = filter };
	struct strbuf why = STRBUF_INIT;
	const char *word;

	if (!filter)
		abort();
	fake_roots__file(&machine, "tracing/events/a/b/format", text + len + (text[len] == '\n'));
	event_filter__explain(&why, &machine.roots, &evsel, -EINVAL);
	if (strbuf__failed(&why) || strncmp(why.text, "a:b: the kernel refuses the filter '", 36) != 0)
		abort();
	word = strstr(why.text + 36 + len, told);
	if (word) {
		word += sizeof(told) - 1;
		if (!strpbrk(word, "'") || !*filter || (*word >= '0' && *word <= '9') || !strchr(filter, *word))
			abort();
	}
	strbuf__free(&why);
	free(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const char *text) = { try_format, try_terms, try_tracepoint, try_json,
							   try_filter };

	return try_one(tries, sizeof(tries) / sizeof(tries[0]), data, size);
}
