/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_TESTS_JSON_LINES_H
#define PSTAT_TESTS_JSON_LINES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <string.h>

/*
 * Checks, with a parser that was not written for pstat, that each line is an object of its own. A
 * line that begins with "==>" is a heading.
 */
static inline void expect_json_lines(const char *text)
{
	while (*text) {
		const char *end = strchr(text, '\n');
		json_error_t error;
		json_t *line;

		assert_non_null(end);
		if (strncmp(text, "==>", 3)) {
			line = json_loadb(text, (size_t)(end - text), JSON_REJECT_DUPLICATES,
					  &error);
			if (!line)
				print_error("%s: %.*s\n", error.text, (int)(end - text), text);
			assert_non_null(line);
			assert_true(json_is_object(line));
			json_decref(line);
		}
		text = end + 1;
	}
}

#endif
