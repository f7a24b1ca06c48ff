/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_COUNT_SCOPE_PROBE_H
#define PSTAT_COUNT_SCOPE_PROBE_H

struct strbuf;

/*
 * Finds out whether the user can count scopes on this kernel: loads the BPF programs, and attaches
 * the programs that run at context switches, at exits of threads, and at execve(2). If this works,
 * adds to @why_not whether many points can be attached at once, and returns 0. Otherwise, adds the
 * reason to @why_not and returns -errno.
 */
int scope_probe(struct strbuf *why_not);

#endif
