/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An input for several parsers: its first byte selects the parser, and the rest is the text to
 * parse.
 */
#ifndef PSTAT_TESTS_FUZZ_TRIES_H
#define PSTAT_TESTS_FUZZ_TRIES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline int try_one(void (*const *tries)(const char *text), size_t nr, const uint8_t *data,
			  size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		abort();
	tries[data[0] % nr](text);
	free(text);
	return 0;
}

#endif
