// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/scope/scope-spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/near-names.h"
#include "util/base/number.h"
#include "util/base/strbuf.h"

static const char *const kinds[] = {
	[POINT_UPROBE] = "uprobe", [POINT_USDT] = "usdt",	[POINT_FUNC] = "func",
	[POINT_TP] = "tp",	   [POINT_SYSCALL] = "syscall",
};
#define NR_KINDS (int)(sizeof(kinds) / sizeof(kinds[0]))

/*
 * The state of the parser. The text between `at` and `end` is the part of the current point (in
 * spec->text) that has not been parsed yet.
 */
struct parser {
	struct scope_spec *spec;
	const char *at, *end;
	struct strbuf *why;
};

const char *point_kind__name(enum point_kind kind)
{
	return kinds[kind];
}

void scope_spec__add_place(const struct scope_spec *spec, int column, struct strbuf *why)
{
	strbuf__addf(why, "'%s', character %d: ", spec->text, column);
}

static int refuse(const struct parser *parser, const char *at, const char *text)
{
	scope_spec__add_place(parser->spec, (int)(at - parser->spec->text) + 1, parser->why);
	strbuf__adds(parser->why, text);
	return -EINVAL;
}

static int take_word(const struct parser *parser, const char *at, const char *end,
		     struct scope_word *word)
{
	return scope_word__init(word, at, end, (int)(at - parser->spec->text) + 1);
}

/* ---- the words of one point ---- */

static bool are_letters(const char *at, const char *end)
{
	while (at < end && isalpha((unsigned char)*at))
		at++;
	return at == end;
}

/*
 * If the point ends with the suffix "%return" or "%returns", removes the suffix and sets
 * point->place.
 */
static int take_place(struct parser *parser, struct point_spec *point)
{
	const char *percent = NULL;
	size_t len;

	for (const char *at = parser->at; at < parser->end; at++) {
		if (*at == '\\' && at + 1 < parser->end)
			at++;
		else if (*at == '%')
			percent = at;
	}
	/* a '%' can be part of a name, such as "operator%" */
	if (!percent || percent + 1 == parser->end || !are_letters(percent + 1, parser->end))
		return 0;
	len = (size_t)(parser->end - percent);
	if (len == strlen("%return") && !strncmp(percent, "%return", len))
		point->place = PLACE_RETURN;
	else if (len == strlen("%returns") && !strncmp(percent, "%returns", len))
		point->place = PLACE_RETURNS;
	else
		return refuse(parser, percent,
			      "unknown suffix: write %return for the return of a function, or \\% "
			      "if the name contains this character");
	if (point->kind == POINT_USDT || point->kind == POINT_TP)
		return refuse(parser, percent,
			      "only functions and system calls have a return: remove the suffix");
	if (point->place == PLACE_RETURNS && point->kind != POINT_UPROBE)
		return refuse(parser, percent,
			      "only functions of programs can be probed at their return "
			      "instructions: write %return");
	parser->end = percent;
	return 0;
}

static bool is_number(const char *at, const char *end)
{
	return at < end && isdigit((unsigned char)*at);
}

static int take_number(const struct parser *parser, const char *at, const char *end,
		       uint64_t *value)
{
	char *digits = strndup(at, (size_t)(end - at));
	int err = digits ? number__parse_u64(digits, value) : -ENOMEM;

	free(digits);
	if (!err || err == -ENOMEM)
		return err;
	return refuse(parser, at,
		      err == -ERANGE ? "the number is too large" :
				       "not a number: write a hexadecimal (0x1f) or a decimal one");
}

/* Parses FUNCTION or ADDRESS, optionally followed by +OFFSET. */
static int take_place_in_file(struct parser *parser, struct point_spec *point)
{
	const char *plus = NULL;
	int err = 0;

	for (const char *at = parser->at; at < parser->end; at++) {
		if (*at == '\\' && at + 1 < parser->end)
			at++;
		else if (*at == '+')
			plus = at;
	}
	/* a '+' can be part of a name, such as "operator+" */
	if (plus && is_number(plus + 1, parser->end)) {
		point->has_offset = true;
		err = take_number(parser, plus + 1, parser->end, &point->offset);
		parser->end = plus;
	}
	if (!err && is_number(parser->at, parser->end)) {
		point->has_address = true;
		err = take_number(parser, parser->at, parser->end, &point->address);
	}
	if (!err && point->offset && !point->has_address && point->place != PLACE_WHOLE)
		err = refuse(parser, plus,
			     "a return belongs to a function: remove the offset or the suffix");
	return err ?: take_word(parser, parser->at, parser->end, &point->name);
}

/* If the unparsed text begins with "WORD:", sets @word to WORD and skips "WORD:". */
static int take_before_colon(struct parser *parser, struct scope_word *word)
{
	const char *colon = scope_word__find_colon(parser->at, parser->end);
	int err;

	if (!colon)
		return 0;
	err = take_word(parser, parser->at, colon, word);
	if (!err && !*word->text)
		return refuse(parser, colon, "a word is missing before the colon");
	parser->at = colon + 1;
	return err;
}

static int need_name(const struct parser *parser, const struct point_spec *point, const char *what)
{
	return *point->name.text ? 0 : refuse(parser, parser->at, what);
}

/* Refuses a point without a file. @form explains how to write the point. Returns 0 or -EINVAL. */
static int need_file(const struct parser *parser, const struct point_spec *point, const char *form)
{
	if (point->file.pattern)
		return 0;
	refuse(parser, parser->at,
	       parser->at == parser->end ? "the file is missing: " :
					   "either the file or the name in it is missing: ");
	strbuf__adds(parser->why, form);
	if (*parser->end)
		strbuf__adds(parser->why, "\nif the two dots after it belong to the path, write a "
					  "backslash before each of them (\\.\\.)");
	return -EINVAL;
}

static int parse_uprobe(struct parser *parser, struct point_spec *point,
			const struct point_spec *first)
{
	int err = take_before_colon(parser, &point->file);

	if (!err && !point->file.pattern && first)
		err = scope_word__copy(&point->file, &first->file);
	err = err   ?:
		      need_file(parser, point,
				"write uprobe:FILE:FUNCTION, where FILE is a path or the name of a "
				"library");
	err = err ?: take_place_in_file(parser, point);
	return err   ?:
		       need_name(parser, point,
				 "the function is missing: write its name, a glob, or an address");
}

/*
 * Parses FILE:NAME or FILE:PROVIDER:NAME. If @first is not NULL, the text may omit FILE, or FILE
 * and PROVIDER. The omitted words are copied from @first. With @first, "WORD:NAME" means
 * PROVIDER:NAME, unless WORD contains a '/'.
 */
static int parse_usdt(struct parser *parser, struct point_spec *point,
		      const struct point_spec *first)
{
	const char *colon = scope_word__find_colon(parser->at, parser->end);
	bool is_provider = first && colon && !scope_word__find_colon(colon + 1, parser->end) &&
			   !memchr(parser->at, '/', (size_t)(colon - parser->at));
	int err = is_provider ? 0 : take_before_colon(parser, &point->file);

	if (!err && !point->file.pattern && first) {
		err = scope_word__copy(&point->file, &first->file);
		if (!err && !is_provider)
			err = scope_word__copy(&point->group, &first->group);
	}
	err = err   ?:
		      need_file(
			      parser, point,
			      "write usdt:FILE:PROVIDER:NAME, where FILE is a path or the name of "
			      "a library");
	if (!err && scope_word__find_colon(parser->at, parser->end))
		err = take_before_colon(parser, &point->group);
	err = err ?: take_word(parser, parser->at, parser->end, &point->name);
	return err ?: need_name(parser, point, "the name of the USDT point is missing");
}

static int parse_func(struct parser *parser, struct point_spec *point,
		      const struct point_spec *first)
{
	int err = take_before_colon(parser, &point->group);

	(void)first;
	err = err ?: take_word(parser, parser->at, parser->end, &point->name);
	return err   ?:
		       need_name(parser, point,
				 "the function is missing: write func:FUNCTION or "
				 "func:MODULE:FUNCTION");
}

static int parse_tp(struct parser *parser, struct point_spec *point, const struct point_spec *first)
{
	int err = take_before_colon(parser, &point->group);

	if (!err && !point->group.pattern && first)
		err = scope_word__copy(&point->group, &first->group);
	if (!err && !point->group.pattern)
		err = refuse(parser, parser->at,
			     "the category is missing: write tp:CATEGORY:NAME, such as "
			     "tp:sched:sched_switch");
	err = err ?: take_word(parser, parser->at, parser->end, &point->name);
	return err ?: need_name(parser, point, "the name of the tracepoint is missing");
}

static int parse_syscall(struct parser *parser, struct point_spec *point,
			 const struct point_spec *first)
{
	const char *at = parser->at;

	(void)first;
	if (at == parser->end)
		return 0;
	for (const char *end; at <= parser->end; at = end + 1) {
		end = memchr(at, ',', (size_t)(parser->end - at)) ?: parser->end;
		if (end == at)
			return refuse(parser, at,
				      "the name of a system call is missing: write "
				      "syscall:read,write, or syscall for all of them");
	}
	return take_word(parser, parser->at, parser->end, &point->name);
}

static int (*const parse_kind[])(struct parser *parser, struct point_spec *point,
				 const struct point_spec *first) = {
	[POINT_UPROBE] = parse_uprobe, [POINT_USDT] = parse_usdt,	[POINT_FUNC] = parse_func,
	[POINT_TP] = parse_tp,	       [POINT_SYSCALL] = parse_syscall,
};

/* ---- points ---- */

/*
 * If the point begins with "KIND:", sets *@kind, skips "KIND:" and returns true. Returns false if
 * there is no kind.
 */
static bool take_kind(struct parser *parser, enum point_kind *kind)
{
	size_t len = strcspn(parser->at, ":.%");

	if (len > (size_t)(parser->end - parser->at))
		len = (size_t)(parser->end - parser->at);
	for (int i = 0; i < NR_KINDS; i++) {
		if (len != strlen(kinds[i]) || strncmp(parser->at, kinds[i], len) != 0)
			continue;
		/*
		 * only `syscall` may be written without a colon; it then selects all system calls
		 */
		if (parser->at + len < parser->end && parser->at[len] == ':')
			len++;
		else if (i != POINT_SYSCALL)
			return false;
		*kind = (enum point_kind)i;
		parser->at += len;
		return true;
	}
	return false;
}

static int refuse_kind(const struct parser *parser)
{
	const char *colon = scope_word__find_colon(parser->at, parser->end) ?: parser->end;
	struct near_names near = { 0 };
	bool is_kind = false;
	char *word = strndup(parser->at, (size_t)(colon - parser->at));

	if (!word)
		return -ENOMEM;
	for (int i = 0; i < NR_KINDS; i++) {
		near_names__offer(&near, word, kinds[i]);
		is_kind |= !strcmp(word, kinds[i]);
	}
	refuse(parser, parser->at, "");
	if (near.nr && !is_kind)
		strbuf__addf(parser->why, "'%s' is not a kind of point: did you mean '%s'?", word,
			     near.names[0]);
	else
		strbuf__addf(parser->why,
			     "%s: write uprobe:FILE:FUNCTION, usdt:FILE:PROVIDER:NAME, "
			     "func:FUNCTION, tp:CATEGORY:NAME or syscall:NAME",
			     is_kind ? "a colon and a place are missing" :
				       "a point begins with its kind");
	near_names__free(&near);
	free(word);
	return -EINVAL;
}

/*
 * Parses a point. If @point is the second of two points, @first is the first point; otherwise,
 * @first is NULL. If the second point omits its kind, the kind and other missing words are copied
 * from @first.
 */
static int parse_point(struct parser *parser, struct point_spec *point,
		       const struct point_spec *first)
{
	enum point_kind kind = first ? first->kind : POINT_UPROBE;
	bool has_kind;
	int err;

	if (parser->at == parser->end)
		return refuse(parser, parser->at,
			      first ? "the second point is missing after '..'" :
				      "the point is missing");
	has_kind = take_kind(parser, &kind);
	if (!has_kind && !first)
		return refuse_kind(parser);
	point->kind = kind;
	err = take_place(parser, point);
	return err ?: parse_kind[kind](parser, point, has_kind ? NULL : first);
}

/*
 * Checks the point of a scope for which the user wrote only one point. This point must be the entry
 * of a function or system call, because the run ends when the function or system call returns.
 */
static int check_function(const struct parser *parser, const struct point_spec *point)
{
	const char *at = parser->spec->text;

	if (point->kind == POINT_USDT || point->kind == POINT_TP)
		return refuse(parser, at,
			      point->kind == POINT_TP ?
				      "a tracepoint has no end: write two points, as in "
				      "tp:block:block_rq_issue..tp:block:block_rq_complete" :
				      "a USDT point has no end: write two points, as in "
				      "usdt:FILE:query__start..query__done");
	if (point->place != PLACE_WHOLE)
		return refuse(parser, at,
			      "the return of a function has no end: write two points, as in "
			      "uprobe:FILE:FUNCTION..FUNCTION%return");
	if (point->has_offset && point->offset)
		return refuse(parser, at,
			      "a place within a function has no end: write two points, as in "
			      "uprobe:FILE:FUNCTION+0x10..FUNCTION%return");
	return 0;
}

static int begin(struct parser *parser, const char *text)
{
	struct scope_spec *spec = parser->spec;

	*spec = (struct scope_spec){ .nr = 1 };
	if (strlen(text) > SCOPE_SPEC_MAX) {
		strbuf__addf(parser->why, "'%.60s...': longer than %d characters", text,
			     SCOPE_SPEC_MAX);
		return -EINVAL;
	}
	parser->at = spec->text = strdup(text);
	if (!spec->text)
		return -ENOMEM;
	parser->end = spec->text + strlen(spec->text);
	return 0;
}

int scope_spec__parse_point(struct scope_spec *spec, const char *text, struct strbuf *why)
{
	struct parser parser = { .spec = spec, .why = why };
	int err = begin(&parser, text);
	const char *dots = err ? NULL : scope_word__find_dots(spec->text);

	if (dots)
		return refuse(&parser, dots,
			      "one point is needed, not two: write a backslash before each of the "
			      "dots (\\.\\.) if they belong to a name");
	return err ?: parse_point(&parser, &spec->point[0], NULL);
}

int scope_spec__parse(struct scope_spec *spec, const char *text, struct strbuf *why)
{
	struct parser parser = { .spec = spec, .why = why };
	int err = begin(&parser, text);
	const char *dots = err ? NULL : scope_word__find_dots(spec->text);

	if (dots)
		parser.end = dots;
	err = err ?: parse_point(&parser, &spec->point[0], NULL);
	if (err || !dots)
		return err ?: check_function(&parser, &spec->point[0]);
	spec->nr = 2;
	parser.at = dots + 2;
	parser.end = parser.at + strlen(parser.at);
	dots = scope_word__find_dots(parser.at);
	if (dots)
		return refuse(&parser, dots,
			      "a scope has two points, not three: write a backslash before each of "
			      "the dots (\\.\\.) if they belong to a name");
	return parse_point(&parser, &spec->point[1], &spec->point[0]);
}

void scope_spec__free(struct scope_spec *spec)
{
	for (int i = 0; i < 2; i++) {
		scope_word__free(&spec->point[i].file);
		scope_word__free(&spec->point[i].group);
		scope_word__free(&spec->point[i].name);
	}
	free(spec->text);
}
