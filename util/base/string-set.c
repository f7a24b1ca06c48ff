// SPDX-License-Identifier: GPL-2.0-only
#include "util/base/string-set.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * An open-addressing hash table with linear probing. It is at most half full, so that searches are
 * short.
 */
struct string_set {
	char **places;
	size_t nr, room; /* `room` is 0 or a power of two */
	size_t bytes;	 /* of all strings */
};

struct string_set *string_set__new(void)
{
	return calloc(1, sizeof(struct string_set));
}

void string_set__free(struct string_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->room; i++)
		free(set->places[i]);
	free(set->places);
	free(set);
}

/* FNV-1a */
static size_t hash(const char *string)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *string; string++)
		h = (h ^ (unsigned char)*string) * 0x100000001b3;
	return (size_t)(h ^ h >> 32);
}

static char **place_of(char **places, size_t room, const char *string)
{
	size_t at = hash(string) & (room - 1);

	while (places[at] && strcmp(places[at], string) != 0)
		at = (at + 1) & (room - 1);
	return &places[at];
}

static int grow(struct string_set *set)
{
	size_t room = set->room ? 2 * set->room : 64;
	char **places = calloc(room, sizeof(*places));

	if (!places)
		return -1;
	for (size_t i = 0; i < set->room; i++)
		if (set->places[i])
			*place_of(places, room, set->places[i]) = set->places[i];
	free(set->places);
	set->places = places;
	set->room = room;
	return 0;
}

const char *string_set__get(struct string_set *set, const char *string)
{
	char **place;

	if (2 * set->nr >= set->room && grow(set))
		return NULL;
	place = place_of(set->places, set->room, string);
	if (!*place) {
		*place = strdup(string);
		if (*place) {
			set->nr++;
			set->bytes += strlen(string) + 1;
		}
	}
	return *place;
}

size_t string_set__bytes(const struct string_set *set)
{
	return set->bytes;
}
