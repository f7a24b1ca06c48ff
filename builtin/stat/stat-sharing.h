/* SPDX-License-Identifier: GPL-2.0-only */
/* A line below the rows: whether other sessions use the same counters. */
#ifndef PSTAT_BUILTIN_STAT_SHARING_H
#define PSTAT_BUILTIN_STAT_SHARING_H

struct measurement;
struct strbuf;

/*
 * Adds the number of events with shared counters, and the number of those whose counters are not
 * shared, with the reasons. Adds nothing if BPF reads no counters at context switches.
 */
void stat_sharing__describe(const struct measurement *m, struct strbuf *text);

#endif
