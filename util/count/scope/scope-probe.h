/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_COUNT_SCOPE_PROBE_H
#define PSTAT_COUNT_SCOPE_PROBE_H

struct strbuf;

/*
 * Finds out whether this user can count scopes on this kernel, by loading and attaching the
 * programs. Returns 0 after adding details to @why_not, or -errno after adding the reason.
 */
int scope_probe(struct strbuf *why_not);

#endif
