/* SPDX-License-Identifier: GPL-2.0-only */
/* --topdown, -T and --smi-cost: the groups of metrics that they mean on this machine. */
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

/* Is @name, "transaction" or "smi", a metric or a group? If not, stat_topdown__find() says what happens. */
int stat_metric_group__check(const struct metric_table *table, struct vendor *vendor, const char *name);

#endif
