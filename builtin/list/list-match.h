/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares names with the globs of `pstat list`. Ignores case. */
#ifndef PSTAT_BUILTIN_LIST_MATCH_H
#define PSTAT_BUILTIN_LIST_MATCH_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/* Returns whether the whole @name matches the pattern @glob, or @name contains @glob literally. */
bool list_match__name(const char *glob, const char *name);
/*
 * Does the same for the name in the first @len bytes of @names. If memory runs out, returns false
 * and sets @errors->failed.
 */
bool list_match__part(const char *glob, const char *names, size_t len, struct strbuf *errors);

#endif
