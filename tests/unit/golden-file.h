/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares text with a file of tests/golden. PSTAT_UPDATE_GOLDEN=1 rewrites the file. */
#ifndef PSTAT_TESTS_GOLDEN_FILE_H
#define PSTAT_TESTS_GOLDEN_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_SIZE (1 << 20)

static inline void expect_golden(const char *path, const char *text)
{
	char *golden = calloc(1, GOLDEN_SIZE);
	FILE *file;

	assert_non_null(golden);
	if (getenv("PSTAT_UPDATE_GOLDEN")) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(text, file);
		assert_int_equal(fclose(file), 0);
	}
	file = fopen(path, "r");
	if (!file || !fread(golden, 1, GOLDEN_SIZE - 1, file) || strcmp(golden, text))
		print_error("%s differs\n", path);
	if (file)
		fclose(file);
	assert_string_equal(text, golden);
	free(golden);
}

#endif
