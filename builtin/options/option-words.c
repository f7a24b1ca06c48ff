// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads options, and stops at the first word that is not an option, as getopt_long(3) does with
 * "+". Calls argp only for --help, --usage, and an unknown or invalid option. argp is slow, because
 * it compares the name of each option with all other names. With argp, reading the options took a
 * sixth of the start-up time of `pstat stat`.
 */
#include "builtin/options/option-words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/number.h"

/* ---- rows ---- */

const char *option_row__help(const struct option_row *row, enum option_command command)
{
	switch (command) {
	case OF_PROFILE:
		return row->profile != option_same_help ? row->profile : row->help;
	case OF_EXPORT:
		return row->flags & EXPORT ? row->help : NULL;
	default:
		return row->flags & EXPORT_ONLY ? NULL : row->help;
	}
}

const char *option_row__format(const struct option_row *row, char text[OPTION_NAME_MAX])
{
	if (row->letter)
		snprintf(text, OPTION_NAME_MAX, "-%c", row->letter);
	else
		snprintf(text, OPTION_NAME_MAX, "--%s", row->name);
	return text;
}

void option_row__format_long(const struct option_row *row, bool on, char text[OPTION_NAME_MAX])
{
	bool is_negative = !strncmp(row->name, "no-", 3);

	if (on || is_negative)
		snprintf(text, OPTION_NAME_MAX, "%s", row->name + (on ? 0 : 3));
	else
		snprintf(text, OPTION_NAME_MAX, "no-%s", row->name);
}

const struct option_row *option_rows__find(const char *option, size_t len)
{
	bool is_long = option[1] == '-';

	for_each_option_row(row) {
		if (!is_long && row->letter == option[1])
			return row;
		if (is_long && !strncmp(row->name, option + 2, len - 2) && !row->name[len - 2])
			return row;
	}
	return NULL;
}

/* ---- the command line ---- */

const char option_no_value[] = "";

/* ---- storing a value ---- */

void *option_words__field(struct raw_options *raw, const struct option_value *value)
{
	return (value->in_raw ? (char *)raw : (char *)raw->to) + value->at;
}

static bool sets_the_same(const struct option_value *one, const struct option_value *other)
{
	if (one->kind != other->kind || one->in_raw != other->in_raw || one->at != other->at)
		return false;
	return one->kind == OPTION_BOOL || (one->kind == OPTION_MODE && one->which == other->which);
}

/*
 * Forgets all given options that set the same bool, or select the same aggregation mode, as @row,
 * because the last of these options overrides the earlier ones. Examples: -B and --no-big-num, -A
 * and --no-merge.
 */
static void forget_others(struct raw_options *raw, const struct option_row *row)
{
	for_each_option_row(other)
		if (sets_the_same(&row->value, &other->value))
			raw->given[other - option_rows] = NULL;
}

static void take(struct raw_options *raw, const struct option_row *row, const char *text, bool on)
{
	const struct option_value *value = &row->value;
	const char **given = &raw->given[row - option_rows];
	void *field = option_words__field(raw, value);

	forget_others(raw, row);
	*given = on ? text ?: option_no_value : row->flags & NO_IS_ZERO ? "0" : NULL;
	switch (value->kind) {
	case OPTION_BOOL:
		*(bool *)field = on == value->which;
		break;
	case OPTION_COUNT:
		*(int *)field = on ? *(int *)field + 1 : 0;
		break;
	case OPTION_TEXT:
		*(const char **)field = *given;
		break;
	case OPTION_MODE:
		raw->modes &= ~(1U << value->which);
		raw->modes |= (unsigned int)on << value->which;
		break;
	case OPTION_WORD:
		raw_options__add_word(raw, (enum event_word_kind)value->which, text);
		break;
	case OPTION_CALL:
		value->take(raw, text, on);
		break;
	case OPTION_REFUSED:
		raw->refused = raw->refused ?: row;
		break;
	case OPTION_NOTHING:
	case OPTION_NUMBER:
	case OPTION_CHECKED:
		break;
	}
}

const char *option_words__given(const struct raw_options *raw, const char *option)
{
	return raw_options__given(raw, option_rows__find(option, strlen(option)));
}

void option_words__give(struct raw_options *raw, const char *option, const char *text)
{
	take(raw, option_rows__find(option, strlen(option)), text, true);
}

void option_words__drop(struct raw_options *raw, const char *option)
{
	take(raw, option_rows__find(option, strlen(option)), NULL, false);
}

/* ---- names ---- */

/* The option that a word names. `row` is NULL if no option matches, or if the word is ambiguous. */
struct found {
	const struct option_row *row;
	bool on;    /* false: the negative form */
	bool exact; /* not abbreviated */
};

enum match { MATCH_NO, MATCH_BEGINS, MATCH_IS };

static enum match match_name(const char *name, const char *text, size_t len)
{
	return strncmp(name, text, len) ? MATCH_NO : name[len] ? MATCH_BEGINS : MATCH_IS;
}

static enum match match_negative(const char *name, const char *text, size_t len)
{
	enum match match;

	if (!strncmp(name, "no-", 3))
		return match_name(name + 3, text, len);
	match = match_name("no-", text, len < 3 ? len : 3);
	if (match == MATCH_NO || len <= 3)
		return match == MATCH_NO ? MATCH_NO : MATCH_BEGINS;
	return match_name(name, text + 3, len - 3);
}

/*
 * Finds an option by its name or an unambiguous abbreviation. In `pstat stat`, if an abbreviation
 * matches an option of perf stat, ignores options that perf stat does not have. So scripts for perf
 * can write --out for --output, although pstat also has --outliers.
 */
static struct found find_name(enum option_command command, const char *text, size_t len)
{
	static const char *const of_argp[] = { "help", "usage", "program-name", "HANG" };
	struct found found[2] = {}; /* [1]: options that perf stat does not have */
	int nr[2] = {};

	for (size_t i = 0; i < sizeof(of_argp) / sizeof(of_argp[0]); i++)
		nr[command == OF_STAT] += match_name(of_argp[i], text, len) != MATCH_NO;
	for_each_option_row(row) {
		for (int on = 1; on >= (row->flags & NEGATABLE ? 0 : 1); on--) {
			enum match match = (on ? match_name : match_negative)(row->name, text, len);
			struct found here = { row, on, match == MATCH_IS };
			int own = command == OF_STAT && (row->flags & OWN);

			if (match == MATCH_NO || !option_row__help(row, command))
				continue;
			if (!on && command != OF_STAT)
				continue;
			if (here.exact)
				return here;
			found[own] = here;
			nr[own]++;
		}
	}
	return nr[0] == 1 ? found[0] : !nr[0] && nr[1] == 1 ? found[1] : (struct found){};
}

static const struct option_row *find_letter(enum option_command command, char letter)
{
	for_each_option_row(row)
		if (row->letter == letter && option_row__help(row, command))
			return row;
	return NULL;
}

/* ---- words ---- */

/* Stores the command, which extends to the end of the command line. */
static void take_command(struct raw_options *raw, int argc, char **argv, bool dashes)
{
	raw->to->count.argv = argv;
	raw->to->argc = argc;
	raw->dashes = dashes;
}

/*
 * Reads the option in argv[0], which begins with two dashes. If the option is unknown or ambiguous,
 * or if its value is missing or not allowed, returns -1. Otherwise, returns 1 if argv[1] is the
 * option's value, or 0 if it is not. Stores in *@found which option the word names.
 */
static int take_long(struct raw_options *raw, char **argv, struct found *found)
{
	const char *name = argv[0] + 2, *text = strchr(name, '=');
	bool takes;
	int used = 0;

	*found = find_name(raw->command, name, text ? (size_t)(text - name) : strlen(name));
	if (!found->row)
		return -1;
	takes = found->row->arg && found->on;
	text = text ? text + 1 : NULL;
	if (text && !takes)
		return -1;
	if (takes && !text && !(found->row->flags & OPTIONAL)) {
		text = argv[1];
		used = 1;
		if (!text)
			return -1;
	}
	take(raw, found->row, text, found->on);
	return used;
}

/*
 * Reads the options in argv[0], which begins with a single dash and the letters of options. The
 * last option can have a value, which is either the rest of argv[0] or argv[1]. Returns the same
 * values as take_long().
 */
static int take_letters(struct raw_options *raw, char **argv)
{
	for (const char *letter = argv[0] + 1; *letter; letter++) {
		const struct option_row *row = find_letter(raw->command, *letter);
		const char *text = letter[1] ? letter + 1 : argv[1];

		if (!row || (row->arg && !text))
			return -1;
		take(raw, row, row->arg ? text : NULL, true);
		if (row->arg)
			return !letter[1];
	}
	return 0;
}

/*
 * Calls argp to print help or an error. First replaces an abbreviation with the full name, because
 * argp might find another option for the abbreviation.
 */
static int explain(enum option_command command, int argc, char **argv, const struct found *found)
{
	static const char *const names[OPTION_COMMAND_NR] = { "pstat", "pstat profile",
							      "pstat export" };
	const char *rest = argv[0] + strcspn(argv[0], "=");
	char **words = calloc((size_t)argc + 2, sizeof(*words)), *expanded = NULL;
	char name[OPTION_NAME_MAX];
	int code;

	if (!words)
		return command__out_of_memory();
	memcpy(words + 1, argv, sizeof(*words) * (size_t)argc);
	words[0] = (char *)names[command];
	if (found->row && !found->exact) {
		option_row__format_long(found->row, found->on, name);
		if (asprintf(&expanded, "--%s%s", name, rest) < 0)
			expanded = NULL;
		words[1] = expanded ?: words[1];
	}
	code = option_words__explain(command, argc + 1, words);
	free(expanded);
	free(words);
	return code;
}

/* Drops options such as -I 0, for which the value 0 has the same effect as omitting the option. */
static void drop_zeros(struct raw_options *raw)
{
	uint64_t zero;

	for_each_option_row(row) {
		const char *text = raw_options__given(raw, row);

		if (text && (row->flags & ZERO_IS_NONE) && !number__parse_option(text, 0, 0, &zero))
			raw->given[row - option_rows] = NULL;
	}
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] && strcmp(word, "--") != 0;
}

int option_words__read(struct raw_options *raw, int argc, char **argv)
{
	int i, used;

	for (i = 1; i < argc && is_option(argv[i]); i += 1 + used) {
		bool is_long = argv[i][1] == '-';
		struct found found = {};

		used = is_long ? take_long(raw, argv + i, &found) : take_letters(raw, argv + i);
		if (used < 0)
			return explain(raw->command, argc - i, argv + i, &found);
	}
	drop_zeros(raw);
	if (i < argc && strcmp(argv[i], "--") != 0)
		take_command(raw, argc - i, argv + i, false);
	else if (i + 1 < argc)
		take_command(raw, argc - i - 1, argv + i + 1, true);
	return 0;
}
