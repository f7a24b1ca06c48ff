/* SPDX-License-Identifier: GPL-2.0-only */
/* A word of a specification (see scope-spec.h), with and without its backslashes. */
#ifndef PSTAT_MACHINE_SCOPE_WORD_H
#define PSTAT_MACHINE_SCOPE_WORD_H

#include <stdbool.h>

struct strbuf;

struct scope_word {
	char *pattern; /* as the user wrote it, for fnmatch(3); NULL: the word is missing */
	char *text;    /* without backslashes */
	int column;    /* position of the word in the specification, counted from 1 */
};

/*
 * Sets @word to a copy of the text between @at and @end. @column is the position of this text in
 * the specification. Returns 0 or -ENOMEM. The caller frees the word with scope_word__free() even
 * after an error.
 */
int scope_word__init(struct scope_word *word, const char *at, const char *end, int column);
int scope_word__copy(struct scope_word *to, const struct scope_word *from);
void scope_word__free(struct scope_word *word);

/* Returns whether the word contains a glob character without a backslash. */
bool scope_word__is_glob(const struct scope_word *word);
/* Returns whether @name is equal to the word's text, or matches the word as a glob. */
bool scope_word__matches(const struct scope_word *word, const char *name);

/*
 * Adds @text to @sb. Adds a backslash before each character that is in @special, and before each
 * other character that the parser would not read as part of the word. @special must contain ':' and
 * '%' if they have a special meaning in this word. Does not escape glob characters, because a word
 * matches the name that is equal to it, even if the word is also a glob.
 */
void scope_word__escape(struct strbuf *sb, const char *text, const char *special);

/*
 * Returns the first colon between @at and @end that separates words, or NULL. The two colons of
 * "::" are part of a C++ name, and a colon after a backslash is part of its word.
 */
const char *scope_word__find_colon(const char *at, const char *end);

/*
 * Returns the ".." that separates two points, or NULL. The dots of "../lib", "a/.." and "..." are
 * part of a word.
 */
const char *scope_word__find_dots(const char *at);

#endif
