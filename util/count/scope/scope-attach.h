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
 * Attaches first at all ends, then at all beginnings: if the beginning of a run is seen, so is its
 * end.
 * @per_scope: each scope has its own row of totals, otherwise all share the row 0. A place that is
 * in several scopes belongs to the first of them, which pstat reports. Returns 0, or -errno with
 * the reason in @why.
 */
int scope_attach(struct scope_programs *programs, const struct scope_list *list, bool per_scope,
		 struct scope_links *links, struct strbuf *why);
/* Attaches the programs that each system call passes. */
int scope_attach__syscalls(const struct scope_programs *programs, struct scope_links *links,
			   struct strbuf *why);

#endif
