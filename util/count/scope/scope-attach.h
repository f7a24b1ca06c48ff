/* SPDX-License-Identifier: GPL-2.0-only */
/* Attaches the programs at the points of a list of scopes. */
#ifndef PSTAT_COUNT_SCOPE_ATTACH_H
#define PSTAT_COUNT_SCOPE_ATTACH_H

#include <stdbool.h>

struct scope_links;
struct scope_list;
struct scope_programs;
struct strbuf;

/*
 * Attaches the programs at all ends, and then at all beginnings, so that the end of each run that
 * begins is seen. @per_scope: each scope has a separate row of totals; otherwise all scopes use row
 * 0. A point in several scopes counts for the first of them, and pstat warns. Returns 0, or -errno
 * with the reason in @why.
 */
int scope_attach(struct scope_programs *programs, const struct scope_list *list, bool per_scope,
		 struct scope_links *links, struct strbuf *why);
/* Attaches the programs at the two tracepoints that each system call passes. */
int scope_attach__syscalls(const struct scope_programs *programs, struct scope_links *links,
			   struct strbuf *why);

#endif
