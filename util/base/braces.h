/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Alternatives in braces, as in shells: sys_enter_{read,write} means sys_enter_read and
 * sys_enter_write. Alternatives can be empty and contain braces.
 */
#ifndef PSTAT_BASE_BRACES_H
#define PSTAT_BASE_BRACES_H

#include <stddef.h>

struct strbuf;

#define BRACES_WORDS_MAX 1000 /* alternatives of one word */
#define BRACES_DEPTH_MAX 16   /* pairs of braces in a word */

/*
 * Adds all alternatives of @word to @out, with @separator between them. These braces do not list
 * alternatives and are copied: braces at the beginning of the word, between slashes or quotes, or
 * without a counterpart. Returns 0, or -E2BIG if there are too many alternatives or braces.
 */
int braces__expand_word(const char *word, char separator, struct strbuf *out);

/*
 * Does the same with each event of a list, in which commas separate events, and braces at the
 * beginning of an event, or after a plain name, enclose a group.
 */
int braces__expand_events(const char *events, struct strbuf *out);

#endif
