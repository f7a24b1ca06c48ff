/* SPDX-License-Identifier: GPL-2.0-only */
/* Attaches pstat's BPF programs at the points at which scopes begin and end (scope.h). */
#ifndef PSTAT_COUNT_SCOPE_ATTACH_H
#define PSTAT_COUNT_SCOPE_ATTACH_H

#include <stdbool.h>

struct scope_links;
struct scope_list;
struct scope_programs;
struct strbuf;

/*
 * Attaches the programs at the points of all scopes in @list. First attaches the programs that end
 * runs, and then the programs that begin runs, so that pstat sees the end of each run whose
 * beginning it sees. (There is an exception to this order: see place.is_early in scope-attach.c.)
 * If @per_scope is set, the runs of each scope are added to a separate row of the report;
 * otherwise, the runs of all scopes are added to row 0. If several scopes begin at the same point,
 * or end at the same point, pstat uses the point only for the first of them, and warns if this can
 * change the counts. Returns 0, or -errno with the reason in @why.
 */
int scope_attach(struct scope_programs *programs, const struct scope_list *list, bool per_scope,
		 struct scope_links *links, struct strbuf *why);
/*
 * Attaches programs to the tracepoints sys_enter and sys_exit, which fire for every system call. If
 * only the calibration needs system calls, attaches a program only to sys_enter. Returns 0, or
 * -errno with the reason in @why.
 */
int scope_attach__syscalls(const struct scope_programs *programs, struct scope_links *links,
			   struct strbuf *why);

#endif
