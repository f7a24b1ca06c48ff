// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu/pmu-format.h"

#include <errno.h>
#include <string.h>

#include "util/machine/pmu/pmu.h"

/*
 * Parses "config:", "config1:", "config2:" or "config3:" at *@text, which must begin with "config".
 * Moves *@text past the colon. Returns the number in the name (0 for config), or -EINVAL.
 */
static int parse_word(const char **text)
{
	const char *p = *text + strlen("config");
	int word = 0;

	if (*p >= '1' && *p <= '3')
		word = *p++ - '0';
	if (*p++ != ':')
		return -EINVAL;
	*text = p;
	return word;
}

/* Parses a bit number at *@text and moves *@text past it. Returns 0 to 63, or -EINVAL. */
static int parse_bit(const char **text)
{
	const char *p = *text;
	int bit = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		bit = bit * 10 + (*p - '0');
		if (bit > 63)
			return -EINVAL;
	}
	*text = p;
	return bit;
}

static int parse_range(const char **text, uint64_t *mask)
{
	int first = parse_bit(text), last = first;

	if (first >= 0 && **text == '-') {
		++*text;
		last = parse_bit(text);
	}
	if (first < 0 || last < first)
		return -EINVAL;
	*mask |= (~0ULL >> (63 - (last - first))) << first;
	return 0;
}

int pmu_format__parse(const char *text, struct pmu_format *format)
{
	int word = -1, err;

	*format = (struct pmu_format){ 0 };
	for (;;) {
		if (!strncmp(text, "config", strlen("config")))
			word = parse_word(&text);
		if (word < 0)
			return -EINVAL;
		err = parse_range(&text, &format->words[word]);
		if (err)
			return err;
		if (!*text)
			break;
		if (*text++ != ',')
			return -EINVAL;
	}
	for (word = 0; word < 4; word++)
		format->width += __builtin_popcountll(format->words[word]);
	return 0;
}

uint64_t pmu_format__max(const struct pmu_format *format)
{
	return format->width >= 64 ? UINT64_MAX : (1ULL << format->width) - 1;
}

void pmu_format__set(const struct pmu_format *format, uint64_t value, uint64_t config[4])
{
	int from = 0;

	for (int word = 0; word < 4; word++) {
		for (uint64_t mask = format->words[word]; mask && from < 64;
		     mask &= mask - 1, from++)
			if (value >> from & 1)
				config[word] |= mask & -mask;
	}
}
