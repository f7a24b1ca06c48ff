/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptions in the text of `pstat list`. */
#ifndef PSTAT_BUILTIN_LIST_FOLD_H
#define PSTAT_BUILTIN_LIST_FOLD_H

struct strbuf;

/* Columns before what stands below a name. */
#define LIST_INDENT 7

/*
 * "       [words and words\n        more words]\n": @text broken at white space to stand in 79 columns, without what could move the cursor of a
 * terminal; a word that is longer stands alone in its line. Nothing of an empty text.
 */
void list_fold__add(struct strbuf *sb, const char *text);

#endif
