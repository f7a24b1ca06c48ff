// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads any string as a scope and as a point. If the parser refuses the string, there must be a
 * reason that names a position. If the parser accepts the string, the words must be complete, and
 * parsing them again after writing them must give the same words.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/machine/scope/scope-spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_word(const struct scope_spec *spec, const struct scope_word *word)
{
	if (!word->pattern)
		return;
	if (!word->text || strlen(word->text) > strlen(word->pattern) || word->column < 1 ||
	    (size_t)word->column > strlen(spec->text) + 1)
		abort();
	if (!scope_word__matches(word, word->text))
		abort();
}

static void check_point(const struct scope_spec *spec, const struct point_spec *point)
{
	bool has_file = point->kind == POINT_UPROBE || point->kind == POINT_USDT;

	check_word(spec, &point->file);
	check_word(spec, &point->group);
	check_word(spec, &point->name);
	if (has_file != (point->file.pattern != NULL) || (has_file && !*point->file.text))
		abort();
	if (point->kind == POINT_TP && !point->group.pattern)
		abort();
	if (point->kind != POINT_SYSCALL && (!point->name.pattern || !*point->name.text))
		abort();
	if (point->kind != POINT_UPROBE &&
	    (point->has_address || point->has_offset || point->place == PLACE_RETURNS))
		abort();
}

static void expect_equal(const struct scope_word *a, const struct scope_word *b)
{
	if (!a->pattern != !b->pattern || (a->pattern && strcmp(a->text, b->text) != 0))
		abort();
}

static void write_word(struct strbuf *sb, const struct scope_word *word, const char *special)
{
	if (!word->pattern)
		return;
	scope_word__escape(sb, word->text, special);
	strbuf__addc(sb, ':');
}

/* Writes the point as `pstat list scopes` does, and parses it. */
static void write_again(const struct point_spec *point)
{
	const char *special = point->kind == POINT_UPROBE ? "%" : ":%";
	struct strbuf text = STRBUF_INIT, why = STRBUF_INIT;
	struct scope_spec again;

	if (point->has_address || point->kind == POINT_SYSCALL)
		return;
	strbuf__addf(&text, "%s:", point_kind__name(point->kind));
	write_word(&text, &point->file, ":%");
	write_word(&text, &point->group, ":%");
	scope_word__escape(&text, point->name.text, special);
	if (text.len <= SCOPE_SPEC_MAX) {
		if (scope_spec__parse_point(&again, text.text, &why))
			abort();
		if (again.point[0].has_offset || again.point[0].has_address ||
		    again.point[0].place != PLACE_WHOLE)
			abort();
		expect_equal(&point->file, &again.point[0].file);
		expect_equal(&point->group, &again.point[0].group);
		expect_equal(&point->name, &again.point[0].name);
		scope_spec__free(&again);
	}
	strbuf__free(&text);
	strbuf__free(&why);
}

static void try_one(const char *text,
		    int (*parse)(struct scope_spec *spec, const char *text, struct strbuf *why))
{
	struct strbuf why = STRBUF_INIT;
	struct scope_spec spec;
	int err = parse(&spec, text, &why);
	const char *column;

	if (err && (err != -EINVAL || !why.len))
		abort();
	column = why.len ? strstr(why.text + strlen(text) + 1, ", character ") : NULL;
	if (err && (!column || (size_t)atol(column + 12) > strlen(text) + 1))
		abort();
	if (!err && why.len)
		abort();
	for (int i = 0; i < spec.nr && !err; i++) {
		check_point(&spec, &spec.point[i]);
		write_again(&spec.point[i]);
	}
	scope_spec__free(&spec);
	strbuf__free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	if (strlen(text) <= SCOPE_SPEC_MAX) {
		try_one(text, scope_spec__parse);
		try_one(text, scope_spec__parse_point);
	}
	free(text);
	return 0;
}
