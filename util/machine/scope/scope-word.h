/* SPDX-License-Identifier: GPL-2.0-only */
/* A word of a specification (scope-spec.h), with and without its backslashes. */
#ifndef PSTAT_MACHINE_SCOPE_WORD_H
#define PSTAT_MACHINE_SCOPE_WORD_H

#include <stdbool.h>

struct strbuf;

struct scope_word {
	char *pattern; /* as written, for fnmatch(3); NULL: the word is missing */
	char *text;    /* without backslashes */
	int column;    /* of its first character in the specification, from 1 */
};

/*
 * Sets @word to a copy of [@at, @end), which begins at @column. Returns 0 or -ENOMEM. The caller
 * frees the word with scope_word__free() in any case.
 */
int scope_word__init(struct scope_word *word, const char *at, const char *end, int column);
int scope_word__copy(struct scope_word *to, const struct scope_word *from);
void scope_word__free(struct scope_word *word);

/* Returns whether the word contains a character of a glob without a backslash. */
bool scope_word__is_glob(const struct scope_word *word);
/* Returns whether @name is the word's text, or matches it as a glob. */
bool scope_word__matches(const struct scope_word *word, const char *name);

/*
 * Adds @text with a backslash before the characters in @special, and before those that would
 * otherwise have a meaning in a specification. Characters of globs stay as they are, because a name
 * that is equal to the text takes precedence over the names that match it.
 */
void scope_word__escape(struct strbuf *sb, const char *text, const char *special);

#endif
