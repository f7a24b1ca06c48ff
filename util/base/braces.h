/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expands alternatives in braces, as shells do: sys_enter_{read,write} becomes sys_enter_read and
 * sys_enter_write. An alternative can be empty, and it can contain braces.
 */
#ifndef PSTAT_BASE_BRACES_H
#define PSTAT_BASE_BRACES_H

#include <stddef.h>

struct strbuf;

#define BRACES_WORDS_MAX 1000 /* maximum number of words in a result */
#define BRACES_DEPTH_MAX 16   /* maximum number of pairs of braces in a word */

/*
 * Adds to @out one word for each combination of the alternatives in @word, with @separator between
 * the words. A brace at the beginning of @word, between slashes or single quotes, or without a
 * matching brace is copied unchanged. Returns 0; -E2BIG if one of the limits above is exceeded; or
 * -ENOMEM.
 */
int braces__expand_word(const char *word, char separator, struct strbuf *out);

/*
 * Expands each event of the comma-separated list @events as braces__expand_word() does. Braces at
 * the beginning of an event, or after the name of a group (for example NAME{cycles,instructions}),
 * enclose a group of events, and are copied. A list without alternatives can have more than
 * BRACES_WORDS_MAX events. Returns the same values as braces__expand_word().
 */
int braces__expand_events(const char *events, struct strbuf *out);

#endif
