/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings, each once: two that are equal are one pointer, which is valid as long as the set is. */
#ifndef PSTAT_BASE_STRING_SET_H
#define PSTAT_BASE_STRING_SET_H

struct string_set;

/* NULL without memory. */
struct string_set *string_set__new(void);
void string_set__free(struct string_set *set);

/* The set's own @string, added if it was not there. NULL without memory. */
const char *string_set__get(struct string_set *set, const char *string);

#endif
