/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Caches the answers of a child process (bounded-child.h). Each answer consists of a text and a
 * number, and has a key. The caller chooses the key, and decides what the text and the number mean.
 */
#ifndef PSTAT_MACHINE_ANSWERS_H
#define PSTAT_MACHINE_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

/* A hash table that is at most half full. Initialize it with zeros. */
struct answers {
	struct answer {
		uint64_t key; /* 0: this entry is empty */
		/* owned by the code that added the answer; NULL: there is no text */
		const char *text;
		int number;
	} * places;
	size_t nr, room;
};

void answers__free(struct answers *answers);

/* Returns the answer with the key @key, which must not be 0. Returns NULL if there is none. */
const struct answer *answers__find(const struct answers *answers, uint64_t key);
/*
 * Adds a copy of @answer, but not of its text. The key must not be in the table yet. Returns 0 or
 * -ENOMEM.
 */
int answers__add(struct answers *answers, const struct answer *answer);

#endif
