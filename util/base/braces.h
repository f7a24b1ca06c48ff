/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Alternatives in braces, as in shells: sys_enter_{read,write} means sys_enter_read and
 * sys_enter_write. Alternatives can be empty and contain braces.
 */
#ifndef PSTAT_BASE_BRACES_H
#define PSTAT_BASE_BRACES_H

#include <stddef.h>

struct strbuf;

#define BRACES_WORDS_MAX 1000 /* words that one text can become */
#define BRACES_DEPTH_MAX 16   /* pairs of braces in a word */

/*
 * Adds to @out the words for which @word stands, with @separator between them. A brace at the
 * beginning of the word is no alternative. Nor are braces between slashes or quotes, or without a
 * counterpart: they are copied. Returns 0, or -E2BIG if there are too many words or braces.
 */
int braces__expand_word(const char *word, char separator, struct strbuf *out);

/*
 * Does the same with each event of a list, in which commas separate events, and braces at the
 * beginning of an event, or after a plain name, enclose a group.
 */
int braces__expand_events(const char *events, struct strbuf *out);

#endif
