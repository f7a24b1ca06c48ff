/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of strings. Each string is stored once, so string_set__get() returns the same pointer for
 * equal strings. The pointer is valid until the set is freed.
 */
#ifndef PSTAT_BASE_STRING_SET_H
#define PSTAT_BASE_STRING_SET_H

#include <stddef.h>

struct string_set;

/* Returns NULL if memory ran out. */
struct string_set *string_set__new(void);
void string_set__free(struct string_set *set);

/*
 * Returns the set's own copy of @string. Adds a copy if the set has none. Returns NULL if memory
 * ran out.
 */
const char *string_set__get(struct string_set *set, const char *string);

/* Returns the total size of all strings of the set in bytes, including their NULs. */
size_t string_set__bytes(const struct string_set *set);

#endif
