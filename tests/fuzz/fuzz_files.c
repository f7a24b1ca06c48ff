// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses any bytes as the files that the parser of events reads. The first byte selects the kind: a
 * PMU's format, the terms of its event, a tracepoint's format, a vendor's JSON, or a tracepoint's
 * format after a line with a filter that the kernel has refused.
 */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
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
#include "util/machine/pmu/pmu-format.h"
#include "util/machine/pmu/pmu.h"

static regex_t field_line;

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

/*
 * A line with a field as kernels write it: its name follows words and stars, or the location of an
 * array.
 */
#define WORD "[A-Za-z_][A-Za-z0-9_]*"
#define FIELD_LINE                                                                         \
	"^\tfield:(" WORD "( " WORD ")*( [*]+ ?| )|(__data_loc|__rel_loc) " WORD "( " WORD \
	")*\\[\\] )(" WORD                                                                 \
	")(\\[[0-9]{1,9}\\])?;\toffset:[0-9]{1,9};\tsize:[0-9]{1,9};(\tsigned:[0-9]{1,9};)?$"
/* subexpressions */
#define FIELD_LOCATION 4
#define FIELD_NAME 6

/* Only fields of this kind have the location of an array before their name. */
static bool is_field_line(const char *line, regmatch_t *found)
{
	if (regexec(&field_line, line, FIELD_NAME + 1, found, 0))
		return false;
	return found[FIELD_LOCATION].rm_so >= 0 ||
	       (!strstr(line, "__data_loc ") && !strstr(line, "__rel_loc "));
}

/*
 * Adds "a, b, …": the fields after the first empty line. All tracepoints have the fields before
 * that line. Returns false if a line looks like a field, but no kernel writes fields in this way.
 */
static bool fields_slowly(const char *text, struct strbuf *fields)
{
	char *copy = strdup(text), *rest = copy, *line;
	int empty = 0;
	bool sure = true;

	for (size_t len = copy ? strlen(copy) : 0; len && isspace((unsigned char)copy[len - 1]);
	     len--)
		copy[len - 1] = '\0';
	while (copy && (line = strsep(&rest, "\n")) && strncmp(line, "print fmt:", 10) != 0) {
		regmatch_t found[FIELD_NAME + 1];

		if (is_field_line(line, found)) {
			if (empty == 1)
				strbuf__addf(
					fields, "%s%.*s", fields->len ? ", " : "",
					(int)(found[FIELD_NAME].rm_eo - found[FIELD_NAME].rm_so),
					line + found[FIELD_NAME].rm_so);
		} else if (!strncmp(line, "\tfield:", 7)) {
			sure = false;
		}
		empty += !*line;
	}
	free(copy);
	return sure;
}

/* The message must list the fields in the order of the format, or none of them. */
static void try_tracepoint(const char *text)
{
	struct strbuf fields = STRBUF_INIT, expected = STRBUF_INIT;

	fake_roots__file(&machine, "tracing/events/a/b/format", text);
	tp_format__describe(&machine.roots, "a", "b", &fields);
	if (fields_slowly(text, &expected) && fields.len && strcmp(fields.text, expected.text) != 0)
		abort();
	strbuf__free(&expected);
	strbuf__free(&fields);
}

/* try_tracepoint() would also succeed if no fields were ever listed. Here, they must be listed. */
static void check_tracepoint(void)
{
	static const char text[] =
		"name: b\nID: 3\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:struct page * page;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"\"\n";
	struct strbuf fields = STRBUF_INIT, expected = STRBUF_INIT;

	fake_roots__file(&machine, "tracing/events/a/b/format", text);
	tp_format__describe(&machine.roots, "a", "b", &fields);
	if (!fields_slowly(text, &expected) || strcmp(fields.text, "comm, page, name") != 0 ||
	    strcmp(fields.text, expected.text) != 0)
		abort();
	strbuf__free(&expected);
	strbuf__free(&fields);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	machine__init();
	if (regcomp(&field_line, FIELD_LINE, REG_EXTENDED))
		abort();
	check_tracepoint();
	return 0;
}

static void try_json(const char *text)
{
	json_t *object = json_loads(text, 0, NULL);
	struct vendor_event event = { 0 };

	if (object && !vendor_json__event(object, object, "topic", &event) &&
	    (!event.name || !event.terms))
		abort();
	vendor_json__free(&event);
	json_decref(object);
}

/* The word that the message calls unknown must not be a field of the format. */
static void try_filter(const char *text)
{
	static const char told[] = "the tracepoint has no field '";
	size_t len = strcspn(text, "\n");
	char *filter = strndup(text, len);
	struct evsel evsel = { .name = (char *)"a:b",
			       .tracepoint = (char *)"a:b",
			       .filter = filter };
	struct strbuf why = STRBUF_INIT;
	const char *word;

	if (!filter)
		abort();
	fake_roots__file(&machine, "tracing/events/a/b/format", text + len + (text[len] == '\n'));
	filter__explain(&why, &machine.roots, &evsel, -EINVAL);
	if (strbuf__failed(&why) ||
	    strncmp(why.text, "a:b: the kernel refuses the filter '", 36) != 0)
		abort();
	word = strstr(why.text + 36 + len, told);
	if (word) {
		word += sizeof(told) - 1;
		if (!strpbrk(word, "'") || !*filter || (*word >= '0' && *word <= '9') ||
		    !strchr(filter, *word))
			abort();
	}
	strbuf__free(&why);
	free(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const char *text) = { try_format, try_terms, try_tracepoint,
							   try_json, try_filter };

	return try_one(tries, sizeof(tries) / sizeof(tries[0]), data, size);
}
