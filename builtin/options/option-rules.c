// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the command line for options that cannot be combined, for options that need others, and
 * for numbers out of range. Stores the numbers. The section WHAT GOES WITH WHAT of pstat-stat(1)
 * shows the conflicts and requirements as two tables. A test compares these tables with
 * option_rows.
 */
#include <string.h>

#include "builtin/builtin.h"
#include "builtin/options/option-words.h"
#include "builtin/stat/stat-raw.h"
#include "util/base/log.h"

/*
 * @names is a list of options, separated by spaces. Returns the first of them that was given, or
 * NULL.
 */
static const struct option_row *first_given(const struct raw_options *raw, const char *names)
{
	for (size_t len; *names; names += len + (names[len] == ' ')) {
		const struct option_row *row;

		len = strcspn(names, " ");
		row = option_rows__find(names, len);
		if (raw_options__given(raw, row))
			return row;
	}
	return NULL;
}

/*
 * If the command line breaks @rule of @row, prints a message and returns true; otherwise returns
 * false.
 */
static bool breaks(const struct raw_options *raw, const struct option_row *row,
		   const struct option_rule *rule)
{
	const struct option_row *other = first_given(raw, rule->others);
	char one[OPTION_NAME_MAX], two[OPTION_NAME_MAX];

	if (rule->kind == RULE_NEED ? other != NULL : !other)
		return false;
	if (rule->kind == RULE_CONFLICT) {
		option_row__format(row, one);
		option_row__format(other, two);
		pr_err("%s and %s cannot be combined: %s", one, two, rule->why);
	} else {
		pr_err("%s", rule->why);
	}
	return true;
}

int option_words__resolve_rules(const struct raw_options *raw, bool profile_only)
{
	for (int needs = 0; needs < 2; needs++) {
		for_each_option_row(row) {
			const struct option_rule *rule = row->rules;

			if (!raw_options__given(raw, row))
				continue;
			for (; rule && rule->kind; rule++)
				if (rule->profile_only == profile_only &&
				    !(rule->stat_only && raw->command != OF_STAT) &&
				    (rule->kind == RULE_NEED) == needs && breaks(raw, row, rule))
					return EXIT_CONFLICT;
		}
	}
	return 0;
}

static int resolve_value(struct raw_options *raw, const struct option_row *row, const char *text)
{
	const struct option_value *value = &row->value;
	void *field = option_words__field(raw, value);
	char name[OPTION_NAME_MAX];
	uint64_t number = 0;
	int code;

	if (value->check)
		return value->check(raw, text);
	if (value->kind != OPTION_NUMBER)
		return 0;
	option_row__format(row, name);
	code = stat_values__resolve_number(name, text, value->min, value->max, value->what,
					   &number);
	number *= value->unit;
	if (!code && value->size == sizeof(uint32_t))
		*(uint32_t *)field = (uint32_t)number;
	else if (!code)
		*(uint64_t *)field = number;
	return code;
}

int option_words__resolve_values(struct raw_options *raw)
{
	int code = 0;

	for_each_option_row(row) {
		const char *text = raw_options__given(raw, row);

		if (!code && text)
			code = resolve_value(raw, row, text);
	}
	return code;
}
