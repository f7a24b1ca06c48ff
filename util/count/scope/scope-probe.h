/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_COUNT_SCOPE_PROBE_H
#define PSTAT_COUNT_SCOPE_PROBE_H

struct strbuf;

/*
 * Can this user count scopes on this kernel? Loads and attaches the programs to find out. Returns 0
 * after adding details to @why_not, or -errno after adding the reason.
 */
int scope_probe(struct strbuf *why_not);

#endif
