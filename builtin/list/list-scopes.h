/* SPDX-License-Identifier: GPL-2.0-only */
/* pstat list scopes FILE: the functions and USDT points of a program or library. */
#ifndef PSTAT_BUILTIN_LIST_SCOPES_H
#define PSTAT_BUILTIN_LIST_SCOPES_H

struct list_options;
struct list_out;

/* The first of the globs is the file. Returns 0, or an exit code after reporting the error. */
int list_scopes(const struct list_options *options, struct list_out *out);

#endif
