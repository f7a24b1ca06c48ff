/* SPDX-License-Identifier: GPL-2.0-only */
/* --topdown and -T: the groups of metrics that they mean on this machine. */
#ifndef PSTAT_BUILTIN_STAT_TOPDOWN_H
#define PSTAT_BUILTIN_STAT_TOPDOWN_H

struct metric_table;
struct strbuf;
struct vendor;

/*
 * Adds the name of the group that --topdown means to @group. @level is the argument of --td-level,
 * NULL without. Intel's and Arm's groups are TopdownL1, TopdownL2 ..., AMD's are PipelineL1 and
 * PipelineL2. If there is no such group, a warning says so if the names of @vendor (may be NULL) are
 * not installed. 0, or the exit code after perf's message.
 */
int stat_topdown__find(const struct metric_table *table, const char *level, struct vendor *vendor,
		       struct strbuf *group);

/* The same for -T. */
int stat_transaction__find(const struct metric_table *table, struct vendor *vendor, struct strbuf *group);

#endif
