// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/near-names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* longer names are ignored, to limit the work */
#define LEN_MAX 96
/* the distances of two stored names differ by at most this number */
#define SPREAD 1

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

/* Converts @c to lower case, and '_' to '-'. */
static char fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '_' ? '-' : c;
}

/*
 * Returns the optimal string alignment distance: the minimum number of insertions, deletions,
 * replacements and swaps of adjacent characters that turn @a into @b if no substring may be edited
 * twice. The algorithm fills a table row by row, and keeps only the three most recent rows.
 */
static unsigned int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int rows[3][LEN_MAX + 1];
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b_len; j++)
		last[j] = (unsigned int)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned int *oldest = before;

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_len; j++) {
			bool same = fold(a[i - 1]) == fold(b[j - 1]);

			row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]) && before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[b_len];
}

static bool has(const struct near_names *near, const char *name)
{
	for (int i = 0; i < near->nr; i++)
		if (!strcmp(near->names[i], name))
			return true;
	return false;
}

void near_names__offer(struct near_names *near, const char *wanted, const char *candidate)
{
	size_t wanted_len = strnlen(wanted, LEN_MAX + 1), len = strnlen(candidate, LEN_MAX + 1);
	size_t gap = wanted_len > len ? wanted_len - len : len - wanted_len;
	unsigned int limit = (unsigned int)((wanted_len + 2) / 3), d;
	char *name;
	int at;

	if (!wanted_len || !len || wanted_len > LEN_MAX || len > LEN_MAX || gap > limit ||
	    has(near, candidate))
		return;
	d = distance(wanted, wanted_len, candidate, len);
	if (d > limit || (near->nr && d > near->distance[0] + SPREAD))
		return;
	for (at = near->nr; at > 0 && near->distance[at - 1] > d; at--)
		;
	if (at == NEAR_NAMES_MAX)
		return;
	name = strdup(candidate);
	if (!name)
		return;
	if (near->nr == NEAR_NAMES_MAX)
		free(near->names[--near->nr]);
	memmove(near->names + at + 1, near->names + at,
		sizeof(*near->names) * (size_t)(near->nr - at));
	memmove(near->distance + at + 1, near->distance + at,
		sizeof(*near->distance) * (size_t)(near->nr - at));
	near->names[at] = name;
	near->distance[at] = d;
	near->nr++;
	while (near->distance[near->nr - 1] > near->distance[0] + SPREAD)
		free(near->names[--near->nr]);
}

void near_names__free(struct near_names *near)
{
	for (int i = 0; i < near->nr; i++)
		free(near->names[i]);
	*near = (struct near_names){ 0 };
}
