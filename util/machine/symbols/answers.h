/* SPDX-License-Identifier: GPL-2.0-only */
/* Stores the answers of a bounded child (bounded-child.h): a text and a number for each key. */
#ifndef PSTAT_MACHINE_ANSWERS_H
#define PSTAT_MACHINE_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

/* A hash table that is at most half full. Initialize it with zeros. */
struct answers {
	struct answer {
		uint64_t key; /* 0: this entry is empty */
		/* NULL: unknown; the code that added the answer owns the text */
		const char *text;
		int number;
	} * places;
	size_t nr, room;
};

void answers__free(struct answers *answers);

/* Returns the answer to @key, which must not be 0. Returns NULL if there is none. */
const struct answer *answers__find(const struct answers *answers, uint64_t key);
/* Adds the answer to a key that has none. Returns 0 or -ENOMEM. */
int answers__add(struct answers *answers, const struct answer *answer);

#endif
