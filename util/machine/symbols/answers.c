// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/symbols/answers.h"

#include <errno.h>
#include <stdlib.h>

void answers__free(struct answers *answers)
{
	free(answers->places);
	*answers = (struct answers){ .nr = 0 };
}

/*
 * Returns the entry with the key @key. If there is none, returns the empty entry in which an answer
 * with this key belongs. @room, the number of entries, must be a power of two.
 */
static struct answer *place_of(struct answer *places, size_t room, uint64_t key)
{
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15) >> 20) & (room - 1);

	while (places[at].key && places[at].key != key)
		at = (at + 1) & (room - 1);
	return &places[at];
}

const struct answer *answers__find(const struct answers *answers, uint64_t key)
{
	const struct answer *place;

	if (!answers->room)
		return NULL;
	place = place_of(answers->places, answers->room, key);
	return place->key ? place : NULL;
}

static int make_room(struct answers *answers)
{
	size_t room = answers->room ? 2 * answers->room : 64;
	struct answer *places;

	if (2 * (answers->nr + 1) <= answers->room)
		return 0;
	places = calloc(room, sizeof(*places));
	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < answers->room; i++)
		if (answers->places[i].key)
			*place_of(places, room, answers->places[i].key) = answers->places[i];
	free(answers->places);
	answers->places = places;
	answers->room = room;
	return 0;
}

int answers__add(struct answers *answers, const struct answer *answer)
{
	if (make_room(answers))
		return -ENOMEM;
	*place_of(answers->places, answers->room, answer->key) = *answer;
	answers->nr++;
	return 0;
}
